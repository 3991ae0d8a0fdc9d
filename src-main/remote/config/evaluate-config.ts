import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { type MatchState, matchesLine } from './match-line.ts';
import { matchPattern } from './match-pattern.ts';
import type { ConfigLine, SshConfig } from './read-config.ts';

/** What stands before the files: the command line's part in ssh. */
export interface ConfigQuestion {
  /** As typed. */
  readonly name: string;
  readonly user?: string;
  readonly port?: number;
  readonly identityFiles?: readonly string[];
  /** As in `ProxyJump`; `none`: no hops, whatever the files say. */
  readonly jump?: string;
}

/** What of the files holds for one host: nothing is expanded but the name of the host. */
export interface HostOptions {
  readonly name: string;
  /** Lower case. */
  readonly hostName: string;
  readonly user?: string;
  readonly port?: number;
  /** `none` may be among them. */
  readonly identityFiles: readonly string[];
  readonly certificateFiles: readonly string[];
  readonly proxyJump?: string;
  readonly proxyCommand?: string;
  /** The arguments of every other keyword, in lower case: those of its first line that holds. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
}

/** Whether a command of `Match exec` succeeds: as it stands in the file, and with its tokens expanded. */
export type ExecAnswer = (raw: string, expanded: () => string) => boolean;

/**
 * Goes through the files as ssh does: the first value of a keyword holds; for `Match final` and
 * canonical names a second time, with the name that the first time led to.
 */
export function evaluateConfig(
  config: SshConfig,
  question: ConfigQuestion,
  environment: ConfigEnvironment,
  exec: ExecAnswer,
): HostOptions {
  const pass = new Evaluation(question, environment, exec);
  pass.run(config, false);
  const canonicalize = pass.values.get('canonicalizehostname')?.[0]?.toLowerCase() ?? 'no';
  const again = pass.wantsFinal || !['no', 'false', 'none'].includes(canonicalize);
  const hostName = pass.hostName().toLowerCase();
  if (again) {
    pass.name = hostName;
    pass.fixedHostName = hostName;
    pass.run(config, true);
  }
  return {
    name: question.name,
    hostName,
    ...(pass.user === undefined ? {} : { user: pass.user }),
    ...(pass.port === undefined ? {} : { port: pass.port }),
    identityFiles: pass.identityFiles,
    certificateFiles: pass.certificateFiles,
    ...(pass.proxyJump === undefined ? {} : { proxyJump: pass.proxyJump }),
    ...(pass.proxyCommand === undefined ? {} : { proxyCommand: pass.proxyCommand }),
    values: pass.values,
    problems: [...new Set(pass.problems)],
  };
}

/** As in OpenSSH (SSH_MAX_IDENTITY_FILES, SSH_MAX_CERTIFICATE_FILES). */
const MOST_FILES = 100;

class Evaluation {
  /** What `Host` is compared with. */
  name: string;
  user: string | undefined;
  port: number | undefined;
  fixedHostName: string | undefined;
  readonly identityFiles: string[];
  readonly certificateFiles: string[] = [];
  proxyJump: string | undefined;
  proxyCommand: string | undefined;
  readonly values = new Map<string, readonly string[]>();
  readonly problems: string[] = [];
  wantsFinal = false;
  readonly #question: ConfigQuestion;
  readonly #environment: ConfigEnvironment;
  readonly #exec: ExecAnswer;

  constructor(question: ConfigQuestion, environment: ConfigEnvironment, exec: ExecAnswer) {
    this.#question = question;
    this.#environment = environment;
    this.#exec = exec;
    this.name = question.name;
    this.user = question.user;
    this.port = question.port;
    this.identityFiles = [...new Set(question.identityFiles ?? [])];
    this.proxyJump = question.jump;
  }

  run(config: SshConfig, final: boolean): void {
    for (const lines of config.files) this.#lines(lines, { active: true, never: false, final });
  }

  /** HostName with its %h, else the name itself. */
  hostName(): string {
    if (this.fixedHostName !== undefined) return this.fixedHostName;
    const name = this.values.get('hostname')?.[0];
    const original = this.#question.name;
    return name === undefined
      ? original
      : name.replace(/%([h%])/g, (_, token: string) => (token === '%' ? '%' : original));
  }

  /** Returns whether the lines after these are active: an included file inherits it, and gives it back. */
  #lines(lines: readonly ConfigLine[], state: { active: boolean; never: boolean; final: boolean }) {
    let active = state.active;
    for (const line of lines) {
      if (line.keyword === 'host') active = !state.never && this.#hostLine(line);
      else if (line.keyword === 'match') {
        active = matchesLine(line.rest, this.#matchState(line, state)) && !state.never;
      } else if (line.keyword === 'include') {
        for (const included of line.included ?? []) {
          this.#lines(included, { active, never: state.never || !active, final: state.final });
        }
      } else if (active) this.#option(line);
    }
  }

  #hostLine(line: ConfigLine): boolean {
    let active = false;
    for (const word of line.words ?? []) {
      const negated = word.startsWith('!');
      if (!matchPattern(this.name, negated ? word.slice(1) : word)) continue;
      if (negated) return false;
      active = true;
    }
    return active;
  }

  #matchState(line: ConfigLine, state: { never: boolean; final: boolean }): MatchState {
    const { userName } = this.#environment;
    return {
      hostName: this.hostName(),
      originalHost: this.#question.name,
      user: this.user ?? userName,
      port: this.port ?? 22,
      ...valueIf('hostKeyAlias', this.values.get('hostkeyalias')?.[0]),
      ...valueIf('jump', this.proxyJump),
      tag: this.values.get('tag')?.[0] ?? '',
      final: state.final,
      environment: this.#environment,
      // A file that is only read on for its own sake never has its commands asked for.
      exec: state.never ? () => false : this.#exec,
      wantFinal: () => {
        this.wantsFinal = true;
      },
      problem: (what) => this.#problem(line, what),
    };
  }

  #problem(line: ConfigLine, what: string): void {
    this.problems.push(`${cleanText(line.file)}, line ${line.line}: ${what}`);
  }

  #option(line: ConfigLine): void {
    if (line.keyword === 'proxyjump') this.#proxyJump(line);
    else if (line.keyword === 'proxycommand') this.#proxyCommand(line);
    else if (line.words === undefined) this.#problem(line, 'a quote is not closed.');
    else if (line.words[0] === undefined)
      this.#problem(line, `“${cleanText(line.keyword)}” has no value.`);
    else this.#words(line, line.words[0], line.words);
  }

  #words(line: ConfigLine, first: string, words: readonly string[]): void {
    const { keyword } = line;
    if (keyword === 'identityfile' || keyword === 'identityfile2')
      addNew(this.identityFiles, first);
    else if (keyword === 'certificatefile') addNew(this.certificateFiles, first);
    else if (keyword === 'user') this.user ??= first;
    else if (keyword === 'port') this.#port(line, first);
    else if (!this.values.has(keyword)) this.values.set(keyword, words);
  }

  #port(line: ConfigLine, word: string): void {
    const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
    if (port >= 1 && port <= 65_535) this.port ??= port;
    else this.#problem(line, `“${cleanText(word, 40)}” is not a port.`);
  }

  // Of the two the first one holds, whichever it is; but after “ProxyJump none” a command still does.
  #proxyJump(line: ConfigLine): void {
    if (this.proxyJump !== undefined || this.proxyCommand !== undefined) return;
    const jump = rawValue(line).replace(/#.*/s, '').trimEnd();
    if (jump !== '') this.proxyJump = jump;
  }

  #proxyCommand(line: ConfigLine): void {
    const jumps = this.proxyJump !== undefined && this.proxyJump.toLowerCase() !== 'none';
    if (jumps || this.proxyCommand !== undefined) return;
    const command = rawValue(line);
    if (command !== '') this.proxyCommand = command;
  }
}

/** A value that is the whole rest of its line. */
function rawValue(line: ConfigLine): string {
  return line.rest.replace(/^[ \t\r\n=]+/, '');
}

function addNew(files: string[], file: string): void {
  if (files.length < MOST_FILES && !files.includes(file)) files.push(file);
}

function valueIf<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string });
}
