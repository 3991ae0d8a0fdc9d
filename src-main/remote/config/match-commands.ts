import { spawn } from 'node:child_process';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ExecAnswer } from './evaluate-config.ts';
import type { ResolveOptions } from './resolve-options.ts';

/** What a command of `Match exec` may take; ssh itself would wait for ever. */
const LONGEST_COMMAND_MS = 15_000;
/** Rounds of reading the files anew with one more answer. */
const MOST_COMMANDS = 64;

/** Runs the commands of `Match exec`, where the user allows it, each once for a resolution. */
export class MatchCommands {
  /** Whether there was one to run, and the user said no. */
  declined = false;
  readonly #options: ResolveOptions;
  readonly #results = new Map<string, boolean>();
  /** As they stand in the files: what was asked about. */
  #allowed: ReadonlySet<string> | undefined;

  constructor(options: ResolveOptions) {
    this.#options = options;
  }

  /**
   * Calls `evaluate` until it needs no answer that is not there. The first time one is needed, the user
   * is asked about that one and all that could follow it, whether or not it succeeds.
   */
  async settle<T>(evaluate: (exec: ExecAnswer) => T): Promise<Result<T, 'cancelled'>> {
    for (let round = 0; round < MOST_COMMANDS; round += 1) {
      const wanted: { raw: string; expanded: string }[] = [];
      const value = evaluate((raw, expanded) => this.#answer(raw, expanded, wanted));
      const [next] = wanted;
      if (next === undefined || this.declined) return ok(value);
      if (this.#allowed === undefined) {
        const asked = await this.#ask([...reachable(evaluate)]);
        if (!asked.ok) return asked;
        continue;
      }
      if (this.#options.signal.aborted) return cancelled();
      this.#results.set(next.expanded, await run(next.expanded, this.#options));
      if (this.#options.signal.aborted) return cancelled();
    }
    return ok(evaluate((_, expanded) => this.#results.get(expanded()) ?? false));
  }

  #answer(raw: string, expanded: () => string, wanted: { raw: string; expanded: string }[]) {
    if (this.declined) return false;
    // What was not shown to the user is not run.
    if (this.#allowed !== undefined && !this.#allowed.has(raw)) return false;
    const command = expanded();
    const known = this.#results.get(command);
    if (known === undefined) wanted.push({ raw, expanded: command });
    return known ?? false;
  }

  async #ask(commands: readonly string[]): Promise<Result<null, 'cancelled'>> {
    const answer = (await this.#options.allowMatchExec?.(commands, this.#options.signal)) ?? false;
    if (answer === 'cancelled' || this.#options.signal.aborted) return cancelled();
    this.declined = !answer;
    this.#allowed = new Set(commands);
    return ok(null);
  }
}

/** The commands that are come by if all fail, and if all succeed. */
function reachable(evaluate: (exec: ExecAnswer) => unknown): ReadonlySet<string> {
  const commands = new Set<string>();
  for (const result of [false, true]) {
    evaluate((raw) => {
      commands.add(raw);
      return result;
    });
  }
  return commands;
}

function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Connecting was cancelled.');
}

/** By the user's shell, as ssh does; its output is of no interest. */
function run(command: string, { environment, signal }: ResolveOptions): Promise<boolean> {
  const shell = environment.env.SHELL ?? (environment.platform === 'win32' ? 'cmd.exe' : '/bin/sh');
  const flag = environment.platform === 'win32' && /cmd(\.exe)?$/i.test(shell) ? '/c' : '-c';
  return new Promise((resolve) => {
    const child = spawn(shell, [flag, command], {
      stdio: 'ignore',
      env: { ...environment.env },
      signal,
      timeout: LONGEST_COMMAND_MS,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
