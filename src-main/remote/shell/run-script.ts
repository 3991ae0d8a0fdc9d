import type { Writable } from 'node:stream';
import type { HostError } from '../../shared/remote/connection.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { Channel, ChannelExit, Transport } from '../transport/transport.ts';
import { type Fence, FencedOutput, newFence } from './fence.ts';
import type { ScriptOutput } from './host-session.ts';
import { openShell } from './open-shell.ts';
import { quoteWords } from './quote.ts';
import { linkLost, noShell } from './shell-failure.ts';
import { StderrTail } from './stderr-tail.ts';
import { TimeLimit } from './time-limit.ts';

const MOST_OUTPUT = 1024 * 1024;
/** What standard error may lag behind standard output. */
const STDERR_GRACE_MS = 200;

export interface ScriptOptions {
  readonly signal: AbortSignal;
  /** 30 s where it is not given; with `feed`, the longest time without any progress of it. */
  readonly timeoutMs?: number;
  /**
   * Writes the script's standard input and ends it; else that is empty. It is called when the script
   * has printed `after`: before, `sh` itself may read ahead (dash does). `alive` restarts the time
   * limit. `signal` aborts when the script ends first.
   */
  readonly feed?: {
    readonly after: string;
    write(stdin: Writable, alive: () => void, signal: AbortSignal): Promise<void>;
  };
}

type ScriptResult = Result<ScriptOutput, HostError | 'cancelled'>;

/**
 * Runs a script for `sh`, whatever the user's login shell is and whatever its rc files print. `words`
 * are its $1, $2 …, quoted here; its standard input is empty. Codes: `no-shell`, `timed-out`,
 * `link-lost`, `cancelled`; a script that ends with another code than 0 is no failure here.
 */
export async function runScript(
  transport: Transport,
  script: string,
  words: readonly string[],
  options: ScriptOptions,
): Promise<ScriptResult> {
  const limit = new TimeLimit(options.signal, options.timeoutMs ?? 30_000);
  try {
    const opened = await openShell(transport, limit.signal);
    if (!opened.ok) return limit.failure(opened.error.code === 'link-lost');
    const fence = newFence();
    const run = new ScriptRun(opened.value, fence, options, limit);
    return await run.result(fencedScript(fence, script, words, options.feed !== undefined));
  } finally {
    limit.clear();
  }
}

/**
 * One compound command, which `sh` reads to its end before it runs any of it: a script that a broken
 * link cut in two does nothing.
 */
function fencedScript(
  fence: Fence,
  script: string,
  words: readonly string[],
  withInput: boolean,
): string {
  return `{
${fence.printBegin}
(
set -- ${quoteWords(words)}
${script}
)${withInput ? '' : ' </dev/null'}
status=$?
${fence.printEnd}
exit 0
}
`;
}

/** A script under way: settles with its end mark, for what an rc file left running may hold the channel. */
class ScriptRun {
  readonly #channel: Channel;
  readonly #output: FencedOutput;
  readonly #stderr = new StderrTail();
  readonly #fence: Fence;
  readonly #options: ScriptOptions;
  readonly #limit: TimeLimit;
  readonly #feeding = new AbortController();
  #settle: (why: 'ended' | 'too-much' | 'aborted') => void = () => {};
  #fed = false;

  constructor(channel: Channel, fence: Fence, options: ScriptOptions, limit: TimeLimit) {
    this.#channel = channel;
    this.#fence = fence;
    this.#output = new FencedOutput(fence, MOST_OUTPUT);
    this.#options = options;
    this.#limit = limit;
  }

  async result(text: string): Promise<ScriptResult> {
    const { signal } = this.#limit;
    const settled = new Promise<'ended' | 'too-much' | 'aborted'>((resolve) => {
      this.#settle = resolve;
    });
    const abort = () => this.#settle('aborted');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    this.#channel.stderr.on('data', (chunk: Buffer) => this.#stderr.add(chunk));
    this.#channel.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    if (this.#options.feed === undefined) this.#channel.stdin.end(text);
    else this.#channel.stdin.write(text);
    const exit = this.#channel.exit;
    try {
      const first = await Promise.race([settled, exit]);
      if (first === 'aborted') return this.#limit.failure(false);
      if (first === 'ended') await this.#stderrEnd();
      return this.#outcome(typeof first === 'string' ? undefined : first);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#feeding.abort();
      this.#channel.close();
    }
  }

  #take(chunk: Buffer): void {
    const state = this.#output.add(chunk);
    if (state === 'ended' || state === 'too-much') this.#settle(state);
    else if (state === 'inside') this.#mayFeed();
  }

  #mayFeed(): void {
    const { feed } = this.#options;
    if (feed === undefined || this.#fed || !this.#output.hasSaid(feed.after)) return;
    this.#fed = true;
    const alive = () => this.#limit.restart();
    // What it can't write any more, the script's end or the link's tells better.
    feed.write(this.#channel.stdin, alive, this.#feeding.signal).catch(() => undefined);
  }

  async #stderrEnd(): Promise<void> {
    const deadline = Date.now() + STDERR_GRACE_MS;
    while (!this.#stderr.raw().includes(this.#fence.end) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  #outcome(exit: ChannelExit | undefined): ScriptResult {
    const { state, status } = this.#output;
    const stderr = this.#scriptsStderr();
    if (state === 'ended') {
      return ok({ stdout: this.#output.body(), stderr, code: status ?? 255 });
    }
    if (state === 'too-much') return noShell('more than 1 MiB where some lines were expected');
    if (exit?.code === null && exit.signal === undefined) return linkLost();
    return noShell(`${this.#output.noise}\n${stderr}`);
  }

  #scriptsStderr(): string {
    this.#stderr.dropThrough(this.#fence.begin);
    return this.#stderr.upTo(this.#fence.end);
  }
}
