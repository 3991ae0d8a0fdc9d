import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Child, connectChild } from '../../rpc/child.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { SetRole } from '../../shared/library/set-role.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CallOptions, CommonError } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { residentBytes } from '../../system/resident-memory.ts';
import {
  fetchPerfetto,
  fetchTiles,
  type PerfettoOptions,
  type TilesBody,
} from '../trace-process/bulk-server.ts';
import type { TraceProcessCalls } from '../trace-process/trace-process-calls.ts';
import type { LaunchedTrace } from './trace-launcher.ts';
import { cancelled, unlessAborted } from './unless-aborted.ts';

export type OpenError = TraceFileError | CommonError;
export type TraceClient = Pick<Child<TraceProcessCalls>['client'], 'call'>;
export type Opening = Pick<CallContext, 'signal' | 'progress'>;

export interface HeldTraceOptions {
  readonly path: string;
  launch(): LaunchedTrace;
  socketPath(): Promise<Result<string, 'no-temporary-folder'>>;
  /** Starts its process again, in its turn, for who asks while it is put away; an abort ends that. */
  wake(opening: Opening): Promise<Result<TraceSummary, OpenError>>;
  /** Nobody waits for an answer of it any more. */
  onIdle(): void;
  /** Its process ended, and nobody ended it. */
  onLost(reason: string): void;
}

interface Running {
  readonly launched: LaunchedTrace;
  readonly child: Child<TraceProcessCalls>;
  readonly dataSocket: string;
}

interface Waking {
  readonly answer: Promise<Result<TraceSummary, OpenError>>;
  readonly ended: AbortController;
  /** Who waits for it: once nobody does, it ends. */
  readonly waiters: Set<CallOptions>;
}

/** Memory of a process that holds no rows yet, and of a row: for systems that don't say. */
const BASE_BYTES = 100 * 2 ** 20;
const ROW_BYTES = 60;

/**
 * A trace and the process that has it in memory. The process can be put away while nobody waits for it:
 * whoever asks next has it started again, and notices nothing but the time it takes.
 */
export class HeldTrace {
  readonly #options: HeldTraceOptions;
  #path: string;
  #running: Running | undefined;
  #waking: Waking | undefined;
  #roles: readonly SetRole[] | undefined;
  #rows = 0;
  /** Questions without an answer yet, and tiles on their way. */
  #waiting = 0;

  constructor(options: HeldTraceOptions) {
    this.#options = options;
    this.#path = options.path;
  }

  readonly client: TraceClient = {
    call: async (name, args, options) => {
      this.#waiting++;
      try {
        const awake = await this.#awake({ ...options });
        if (!awake.ok) {
          const { code, message } = awake.error;
          return code === 'cancelled' ? cancelled() : fail('disconnected', message);
        }
        const answer = await awake.value.child.client.call(name, args, options);
        if (name === 'setRoles' && answer.ok)
          this.#roles = (args as { readonly roles: readonly SetRole[] }).roles;
        return answer;
      } finally {
        this.#answered();
      }
    },
  };

  get isAwake(): boolean {
    return this.#running !== undefined || this.#waking !== undefined;
  }

  /** Whether it has a process that read its file. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  get dataSocket(): string | undefined {
    return this.#running?.dataSocket;
  }

  /** What its process holds; none while it is put away. */
  memoryBytes(): number {
    const process = this.#running?.launched.process;
    if (process === undefined) return 0;
    const measured = process.pid === undefined ? undefined : residentBytes(process.pid);
    return measured ?? BASE_BYTES + this.#rows * ROW_BYTES;
  }

  /**
   * Opens the file in a process of its own; aborting the signal ends it. A failure calls the file `fileName`,
   * or as it lies there.
   */
  async start(
    { signal, progress }: Opening,
    fileName?: string,
  ): Promise<Result<TraceSummary, OpenError>> {
    const { launch, socketPath } = this.#options;
    const path = this.#path;
    const socket = await socketPath();
    if (!socket.ok) return socket;
    if (signal.aborted) return cancelled();
    const launched = launch();
    const { scratchFolder, cacheFolder } = launched;
    const kill = () => launched.process.kill();
    signal.addEventListener('abort', kill, { once: true });
    const child = connectChild<TraceProcessCalls>(launched.process);
    const running = { launched, child, dataSocket: socket.value };
    const opened = await child.client.call(
      'open',
      { path, fileName, scratchFolder, cacheFolder, dataSocket: socket.value },
      { onProgress: (value) => progress(value) },
    );
    const known = this.#roles;
    const changed =
      opened.ok && known !== undefined
        ? await child.client.call('setRoles', { roles: [...known] })
        : opened;
    signal.removeEventListener('abort', kill);
    const result = signal.aborted ? cancelled() : alive(changed, path);
    if (!result.ok) {
      kill();
      return result;
    }
    this.#rows = rowsOf(result.value);
    this.#running = running;
    launched.process.onExit((reason) => {
      void removeSocket(socket.value);
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#options.onLost(`${lostSentence(this.#path)} (${reason})`);
    });
    return result;
  }

  /** Its bytes are those at `path` now. */
  async moved(path: string): Promise<void> {
    this.#path = path;
    await this.#running?.child.client.call('moved', { path });
  }

  /** Ends its process, also one that still reads. A question that waits is answered as lost. */
  putAway(): void {
    this.#endWaking();
    const running = this.#running;
    this.#running = undefined;
    running?.launched.process.kill();
  }

  openTiles(
    query: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<TilesBody, 'not-found' | 'process-lost'>> {
    return this.#fetch(
      (socket) => fetchTiles(socket, query, signal),
      ({ stream }) => stream,
      signal,
    );
  }

  openPerfetto(
    options: PerfettoOptions,
    signal: AbortSignal | undefined,
  ): Promise<Result<Readable, 'process-lost'>> {
    return this.#fetch(
      (socket) => fetchPerfetto(socket, options, signal),
      (stream) => stream,
      signal,
    );
  }

  /** Something in bulk; until its stream is closed the process is not put away. */
  async #fetch<Body, Code extends string>(
    fetch: (socket: string) => Promise<Result<Body, Code>>,
    streamOf: (body: Body) => Readable,
    signal: AbortSignal | undefined,
  ): Promise<Result<Body, Code | 'process-lost'>> {
    this.#waiting++;
    const awake = await this.#awake({ signal });
    const fetched = awake.ok
      ? await fetch(awake.value.dataSocket)
      : fail('process-lost', awake.error.message, awake.error.detail);
    if (fetched.ok) streamOf(fetched.value).once('close', () => this.#answered());
    else this.#answered();
    return fetched;
  }

  async #awake(waiter: CallOptions): Promise<Result<Running, OpenError>> {
    if (this.#running !== undefined) return ok(this.#running);
    if (waiter.signal?.aborted) return cancelled();
    // All who ask meanwhile wait for the same process.
    this.#waking ??= this.#startWaking();
    const waking = this.#waking;
    waking.waiters.add(waiter);
    const woken = await unlessAborted(waiter.signal, waking.answer);
    waking.waiters.delete(waiter);
    if (this.#waking === waking && waking.waiters.size === 0) this.#endWaking();
    if (!woken.ok) return woken;
    return this.#running === undefined ? fail('process-lost', 'It was closed.') : ok(this.#running);
  }

  #startWaking(): Waking {
    const ended = new AbortController();
    const waiters: Waking['waiters'] = new Set();
    const progress: Opening['progress'] = (value) => {
      for (const { onProgress } of waiters) onProgress?.(value);
    };
    const answer = this.#options.wake({ signal: ended.signal, progress }).finally(() => {
      if (this.#waking === waking) this.#waking = undefined;
    });
    const waking = { answer, ended, waiters };
    return waking;
  }

  #endWaking(): void {
    const waking = this.#waking;
    this.#waking = undefined;
    waking?.ended.abort();
  }

  #answered(): void {
    this.#waiting--;
    if (this.#waiting === 0) this.#options.onIdle();
  }
}

function rowsOf({ tables }: TraceSummary): number {
  return Object.values(tables ?? {}).reduce((sum, { rows }) => sum + rows, 0);
}

/** Else a long session leaves one for each trace that it opened. */
async function removeSocket(path: string): Promise<void> {
  // Its folder goes with the host; what stays there is swept at the next start.
  if (process.platform !== 'win32') await rm(path, { force: true }).catch(() => undefined);
}

function alive(
  opened: Result<TraceSummary, OpenError>,
  path: string,
): Result<TraceSummary, OpenError> {
  if (opened.ok || opened.error.code !== 'disconnected') return opened;
  return fail('process-lost', lostSentence(path), opened.error.message);
}

function lostSentence(path: string): string {
  return `The process that held ${path} ended unexpectedly: open the trace again; if it ends again, this machine may have too little free memory for it.`;
}
