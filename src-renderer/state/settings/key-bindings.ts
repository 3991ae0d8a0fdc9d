import {
  type CommandId,
  commandIds,
  commandSpec,
  type Scope,
} from '../../../src-main/shared/commands.ts';
import type { Settings, SettingsChange } from '../../../src-main/shared/library/settings.ts';
import { formatChord, parseChord } from './chord.ts';

/** Keys by command where the user has others than the built-in ones; an empty list = none. */
export type OwnKeys = Settings['keys'];

/** What a chord asks for. `fast`: with Shift, where that means "faster". */
export interface BoundCommand {
  readonly id: CommandId;
  readonly fast: boolean;
}

/** The more of the window a scope covers, the later its turn. */
const WIDE_SCOPES: readonly Scope[] = ['investigation', 'app'];
const breadthOf = (scope: Scope) => WIDE_SCOPES.indexOf(scope) + 1;

/** Whether there is a screen on which commands of both scopes work. */
export function scopesOverlap(one: Scope, other: Scope): boolean {
  if (one === other || one === 'app' || other === 'app') return true;
  const pair = [one, other];
  return pair.includes('investigation') && !pair.includes('library') && !pair.includes('capture');
}

export function chordsOf(id: CommandId, own: OwnKeys): readonly string[] {
  return own[id] ?? commandSpec(id).keys;
}

function binding(id: CommandId, chord: string, own: OwnKeys): BoundCommand | undefined {
  const chords = chordsOf(id, own);
  if (chords.includes(chord)) return { id, fast: false };
  const { shift, ...parts } = parseChord(chord);
  if (!shift || commandSpec(id).shiftIsFast !== true) return undefined;
  return chords.includes(formatChord({ ...parts, shift: false })) ? { id, fast: true } : undefined;
}

/** The commands a chord may mean, those of the narrowest scope first; "faster" after all else. */
export function boundCommands(chord: string, own: OwnKeys): BoundCommand[] {
  const turn = ({ id, fast }: BoundCommand) => (fast ? 10 : 0) + breadthOf(commandSpec(id).scope);
  return commandIds
    .flatMap((id) => binding(id, chord, own) ?? [])
    .sort((a, b) => turn(a) - turn(b));
}

/** A chord with what else it takes: the one with Shift, where that means "faster". */
function takenBy(id: CommandId, chord: string): readonly string[] {
  const { shift, ...parts } = parseChord(chord);
  if (commandSpec(id).shiftIsFast !== true || shift) return [chord];
  return [chord, formatChord({ ...parts, shift: true })];
}

/** Commands that would answer to `chord` on a screen of `id`'s, if `id` had it too. */
export function conflictsOf(id: CommandId, chord: string, own: OwnKeys): CommandId[] {
  const others = takenBy(id, chord)
    .flatMap((each) => boundCommands(each, own))
    .map((bound) => bound.id);
  return [...new Set(others)].filter(
    (other) => other !== id && scopesOverlap(commandSpec(id).scope, commandSpec(other).scope),
  );
}

/** What changes when `id` gets `chords`, which are taken from the commands that stand in the way. */
export function chordChanges(
  id: CommandId,
  chords: readonly string[],
  own: OwnKeys,
): NonNullable<SettingsChange['keys']> {
  const taken = chords.flatMap((chord) => takenBy(id, chord));
  const losers = chords.flatMap((chord) => conflictsOf(id, chord, own));
  const changes: NonNullable<SettingsChange['keys']> = {};
  const give = (to: CommandId, keys: readonly string[]) => {
    changes[to] = commandSpec(to).keys.join() === keys.join() ? null : [...keys];
  };
  give(id, chords);
  for (const loser of losers)
    give(
      loser,
      chordsOf(loser, own).filter((chord) => !taken.includes(chord)),
    );
  return changes;
}
