import { setTimeout as pause } from 'node:timers/promises';
import { type Child, connectChild } from '../../rpc/child.ts';
import type { StatementRows, StatementStart } from '../../shared/answers/statement.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CommonError } from '../../shared/rpc/rpc.ts';
import { formatDuration } from '../../shared/text/units.ts';
import type { StatementProcessCalls } from '../statement-process/statement-process-calls.ts';
import type { WrittenTables } from '../trace-process/statement-file.ts';
import { askTrace } from '../traces/ask-trace.ts';
import type { OpenTraces } from '../traces/open-traces.ts';
import { Turns } from '../traces/turns.ts';
import { cancelled } from '../traces/unless-aborted.ts';

/** How a statement can fail, beside the connection's own. */
export type StatementRunError =
  | 'statement-wrong'
  | 'statement-too-large'
  | 'statement-lost'
  | 'disk-full'
  | 'too-slow'
  | 'not-open'
  | 'process-lost';

export interface StatementAsked {
  readonly text: string;
  /** It is ended after so long, not counting the writing of the tables that it reads, ms. */
  readonly timeMs: number;
}

/** A statement that has begun. */
export interface RunningStatement {
  readonly start: StatementStart;
  /** How long it has run so far, ms. */
  readonly tookMs: number;
  /** The next rows, about `maxRows`. */
  next(maxRows: number): Promise<Result<StatementRows, StatementRunError | CommonError>>;
}

/** More than any machine takes to start a process. */
const START_MS = 300_000;

/** A process that was killed is gone long before. */
const EXIT_MS = 2_000;

const READ_AGAIN = 'The trace was read again meanwhile: run the statement again.';

/**
 * Runs the SQL statements of users over open traces. SQLite can't be interrupted, so each has a process of its own,
 * which is killed when it is cancelled, takes too long or has answered; the trace goes on answering meanwhile.
 */
export class Statements {
  readonly #platform: HostPlatform;
  readonly #traces: OpenTraces;
  /** Of one trace they run one after the other: tables are written for one while none reads. */
  readonly #turns = new Map<string, Turns>();
  readonly #running = new Set<Child<StatementProcessCalls>>();
  readonly #ended = new AbortController();

  constructor(platform: HostPlatform, traces: OpenTraces) {
    this.#platform = platform;
    this.#traces = traces;
  }

  /** Begins a statement for as long as `use` works with it. */
  async run<T, Code extends string>(
    traceId: string,
    asked: StatementAsked,
    context: CallContext,
    use: (running: RunningStatement) => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | StatementRunError | CommonError>> {
    const turns = this.#turns.get(traceId) ?? new Turns(1);
    this.#turns.set(traceId, turns);
    // Neither the host nor the trace waits for it once it is closed.
    const ends = [context.signal, this.#ended.signal, this.#traces.closing(traceId)];
    const signal = AbortSignal.any(ends.filter((each) => each !== undefined));
    const own = { ...context, signal };
    const done = await turns.take(signal, () => this.#runNow(traceId, asked, own, use));
    if (turns.isIdle) this.#turns.delete(traceId);
    const open = this.#traces.find(traceId);
    if (signal.aborted && !context.signal.aborted && !open.ok) return open;
    return done ?? cancelled();
  }

  /** Ends those that run and those that wait for their turn. */
  closeAll(): void {
    this.#ended.abort();
    for (const { process } of this.#running) process.kill();
  }

  async #runNow<T, Code extends string>(
    traceId: string,
    asked: StatementAsked,
    context: CallContext,
    use: (running: RunningStatement) => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | StatementRunError | CommonError>> {
    const tablesOf: TablesOf = (tables) =>
      askTrace(this.#traces, traceId, context, ({ client }) =>
        client.call('statementTables', { tables: [...tables] }),
      );
    // Nothing of the statement is looked at here: even to prepare one may take for ever.
    const file = await tablesOf([]);
    if (!file.ok) return file;
    const child = connectChild<StatementProcessCalls>(
      this.#platform.launch('statement-process', []),
    );
    this.#running.add(child);
    const exited = new Promise<void>((resolve) => child.process.onExit(() => resolve()));
    const limited = new LimitedCalls(child, asked.timeMs, context.signal);
    try {
      const starting = new LimitedCalls(child, START_MS, context.signal);
      const started = await starting.do(() => child.client.call('ready', {}));
      if (!started.ok) return started;
      const { path, absent, written } = file.value;
      const prepared = await limited.do(() =>
        child.client.call('prepare', { path, text: asked.text, absent: [...absent] }),
      );
      if (!prepared.ok) return prepared;
      const { tables, ...start } = prepared.value;
      const missing = tables.filter((table) => !written.includes(table));
      if (missing.length > 0) {
        context.progress({ text: `Writing the tables that it reads: ${missing.join(', ')}` });
        const filled = await tablesOf(missing);
        if (!filled.ok) return filled;
        if (filled.value.path !== path) return fail('statement-lost', READ_AGAIN);
      }
      context.progress({ text: 'Running' });
      return await use({
        start,
        get tookMs() {
          return limited.tookMs;
        },
        next: (maxRows) => limited.do(() => child.client.call('next', { maxRows })),
      });
    } finally {
      child.process.kill();
      this.#running.delete(child);
      // Until then it may keep who writes tables for the next one out of the file.
      await Promise.race([exited, pause(EXIT_MS, undefined, { ref: false })]);
    }
  }
}

type TablesOf = (
  tables: readonly TableName[],
) => Promise<Result<WrittenTables, StatementRunError | CommonError>>;

/** Calls of a process that is killed once `signal` aborts, or they have taken `timeMs` together. */
class LimitedCalls {
  readonly #child: Child<StatementProcessCalls>;
  readonly #timeMs: number;
  readonly #signal: AbortSignal;
  tookMs = 0;

  constructor(child: Child<StatementProcessCalls>, timeMs: number, signal: AbortSignal) {
    this.#child = child;
    this.#timeMs = timeMs;
    this.#signal = signal;
  }

  async do<T, Code extends string>(
    call: () => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | StatementRunError | CommonError>> {
    if (this.#signal.aborted) return cancelled();
    const beganMs = performance.now();
    let isLate = false;
    const kill = () => this.#child.process.kill();
    const timer = setTimeout(
      () => {
        isLate = true;
        kill();
      },
      Math.max(1, this.#timeMs - this.tookMs),
    );
    this.#signal.addEventListener('abort', kill, { once: true });
    const result = await call();
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', kill);
    this.tookMs += performance.now() - beganMs;
    if (this.#signal.aborted) return cancelled();
    if (isLate) return tooSlow(this.#timeMs);
    if (result.ok || result.error.code !== 'disconnected') return result;
    const lost =
      'The process that ran the statement ended unexpectedly: run it again; if it ends again, let it read or sort less.';
    return fail('statement-lost', lost, result.error.message);
  }
}

function tooSlow(timeMs: number): Result<never, 'too-slow'> {
  const message = `The statement took longer than ${formatDuration(timeMs * 1e6)} and was ended: ask for less, such as one thread or a range of start_ns.`;
  return fail('too-slow', message);
}
