import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { expandTokens } from './expand-tokens.ts';
import { matchHostNames, matchPatternList } from './match-pattern.ts';
import { areJumpsShellSafe, isShellSafe } from './shell-safe.ts';
import { type Delimited, takeWord } from './split-line.ts';

/** What a `Match` line is compared with: as far as the lines before it have led. */
export interface MatchState {
  readonly hostName: string;
  readonly originalHost: string;
  readonly user: string;
  readonly port: number;
  readonly hostKeyAlias?: string;
  readonly jump?: string;
  readonly tag: string;
  readonly final: boolean;
  readonly environment: ConfigEnvironment;
  readonly exec: (raw: string, expanded: () => string) => boolean;
  /** Called where `final` is asked for: the files are read a second time. */
  readonly wantFinal: () => void;
  readonly problem: (what: string) => void;
}

/** Criteria of newer versions that this reading can't judge; they count as not met. */
const unjudged = ['localnetwork', 'sessiontype', 'command', 'version'];

/** Whether a `Match` line holds; one that ssh would refuse doesn't. */
export function matchesLine(criteria: string, state: MatchState): boolean {
  let rest: string | undefined = criteria;
  let holds = true;
  let count = 0;
  for (;;) {
    const taken: Delimited | undefined = rest === undefined ? undefined : takeWord(rest);
    if (taken === undefined || taken.word === '' || taken.word.startsWith('#')) break;
    rest = taken.rest;
    const negated = taken.word.startsWith('!');
    const name = (negated ? taken.word.slice(1) : taken.word).toLowerCase();
    if (name === 'all') return holds && endsWithAll(rest, count, state) && !negated;
    count += 1;
    if (name === 'canonical' || name === 'final') {
      if (name === 'final') state.wantFinal();
      if (state.final === negated) holds = false;
      continue;
    }
    const argument: Delimited | undefined = rest === undefined ? undefined : takeWord(rest);
    if (argument === undefined || argument.word === '' || argument.word.startsWith('#')) {
      state.problem(`“Match ${cleanText(name, 40)}” has no value.`);
      return false;
    }
    rest = argument.rest;
    const met = criterion(name, argument.word, state, holds);
    if (met === undefined) return false;
    if (met === negated) holds = false;
  }
  if (count === 0) state.problem('“Match” says nothing to match.');
  return holds && count > 0;
}

function endsWithAll(rest: string | undefined, count: number, state: MatchState): boolean {
  const next = rest === undefined ? '' : (takeWord(rest)?.word ?? '');
  const alone = count <= 1 && (next === '' || next.startsWith('#'));
  if (!alone) state.problem('“Match all” goes with no other criteria.');
  return alone;
}

/** Undefined: a criterion that nobody knows, and so the whole line is none. */
function criterion(
  name: string,
  argument: string,
  state: MatchState,
  holds: boolean,
): boolean | undefined {
  switch (name) {
    case 'host':
      return matchHostNames(state.hostName, argument) === 'yes';
    case 'originalhost':
      return matchHostNames(state.originalHost, argument) === 'yes';
    case 'user':
      return matchPatternList(state.user, argument) === 'yes';
    case 'localuser':
      return matchPatternList(state.environment.userName, argument) === 'yes';
    case 'tagged':
      return matchPatternList(state.tag, argument) === 'yes';
    case 'exec':
      // After a criterion that failed no command is run.
      return holds && execHolds(argument, state);
    default:
      state.problem(
        unjudged.includes(name)
          ? `“Match ${name}” can't be judged here and counts as not met; the system's ssh can.`
          : `“Match ${cleanText(name, 40)}” is no criterion that is known here.`,
      );
      return undefined;
  }
}

/**
 * The user allows commands as they stand in the file. A name that was pasted must not make others of
 * them: `%h`, `%n`, `%r`, `%j` and `%k` go to a shell unquoted.
 */
function execHolds(command: string, state: MatchState): boolean {
  const { hostName, originalHost, user, jump = '', hostKeyAlias = '' } = state;
  const isSafe =
    isShellSafe(hostName, user) &&
    isShellSafe(originalHost) &&
    isShellSafe(hostKeyAlias) &&
    areJumpsShellSafe(jump);
  if (isSafe) return state.exec(command, () => expandTokens(command, state, state.environment));
  state.problem('“Match exec” is not run for a name with characters that a shell would read.');
  return false;
}
