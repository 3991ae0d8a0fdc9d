import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, connectChild } from '../rpc/child.ts';
import type { TraceFileError } from '../shared/contract.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { TraceProcessCalls } from '../shared/process-contract.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import type { CallContext, CommonError } from '../shared/rpc.ts';
import type { TraceSummary } from '../shared/summary.ts';
import { fetchTable, type TableBody } from './table-server.ts';

/** An open trace: the process that owns it and what it said when it opened the file. */
export interface OpenTrace {
  readonly id: string;
  readonly path: string;
  readonly summary: TraceSummary;
  readonly client: Child<TraceProcessCalls>['client'];
}

/** How long a file that was just added stays open unasked. */
const WARM_MS = 30_000;
/** How long an open trace waits for a page that lost its connection to come back. */
const ORPHAN_MS = 60_000;

type OpenError = TraceFileError | CommonError;

/** The processes of all open traces of one host. */
export class OpenTraces {
  readonly #platform: HostPlatform;
  readonly #scratchFolder: string;
  readonly #onLost: (traceId: string, message: string) => void;
  readonly #open = new Map<string, { trace: OpenTrace; dataSocket: string; kill(): void }>();
  readonly #warm = new Map<string, NodeJS.Timeout>();
  readonly #users = new Map<string, Set<AbortSignal>>();
  #socketFolder: Promise<string> | undefined;

  constructor(
    platform: HostPlatform,
    scratchFolder: string,
    onLost: (traceId: string, message: string) => void,
  ) {
    this.#platform = platform;
    this.#scratchFolder = scratchFolder;
    this.#onLost = onLost;
  }

  /** Opens `path` in a process of its own; aborting the context's signal kills it. */
  async open(path: string, context: CallContext): Promise<Result<OpenTrace, OpenError>> {
    const id = randomUUID();
    const dataSocket = await this.#dataSocket(id);
    const launched = this.#platform.launch('trace-process', []);
    const child = connectChild<TraceProcessCalls>(launched);
    const kill = () => launched.kill();
    context.signal.addEventListener('abort', kill, { once: true });
    const opened = await child.client.call(
      'open',
      { path, scratchFolder: this.#scratchFolder, dataSocket },
      { onProgress: (progress) => context.progress(progress) },
    );
    context.signal.removeEventListener('abort', kill);
    if (context.signal.aborted) {
      kill();
      return fail('cancelled', 'Cancelled.');
    }
    if (!opened.ok) {
      kill();
      return opened.error.code === 'disconnected'
        ? fail('process-lost', lostSentence(path), opened.error.message)
        : opened;
    }
    const trace = { id, path, summary: opened.value, client: child.client };
    this.#open.set(id, { trace, dataSocket, kill });
    launched.onExit((reason) => {
      if (this.#open.delete(id)) this.#onLost(id, `${lostSentence(path)} (${reason})`);
    });
    return ok(trace);
  }

  find(traceId: string): Result<OpenTrace, 'not-open'> {
    const entry = this.#open.get(traceId);
    return entry === undefined ? notOpen() : ok(entry.trace);
  }

  /** Keeps a trace that was opened only to be added, for the `trace.open` that usually follows. */
  keepWarm(traceId: string): void {
    const timer = setTimeout(() => this.close(traceId), WARM_MS);
    timer.unref();
    this.#warm.set(traceId, timer);
  }

  /** Notes who reads the trace: a while after the last reader has gone, it is closed. */
  useBy(traceId: string, session: AbortSignal): void {
    const users = this.#users.get(traceId) ?? new Set();
    if (users.has(session) || !this.#open.has(traceId)) return;
    this.#users.set(traceId, users.add(session));
    const leave = () => {
      users.delete(session);
      if (users.size > 0) return;
      setTimeout(() => {
        if (users.size === 0) this.close(traceId);
      }, ORPHAN_MS).unref();
    };
    if (session.aborted) leave();
    else session.addEventListener('abort', leave, { once: true });
  }

  /** The warm trace of `path`, which becomes the caller's. */
  takeWarm(path: string): Result<OpenTrace, never> | undefined {
    for (const [traceId, timer] of this.#warm) {
      const entry = this.#open.get(traceId);
      if (entry?.trace.path !== path) continue;
      clearTimeout(timer);
      this.#warm.delete(traceId);
      return ok(entry.trace);
    }
    return undefined;
  }

  async openTable(
    traceId: string,
    table: string,
    columns: readonly string[] | undefined,
  ): Promise<Result<TableBody, 'not-open' | 'not-found' | 'process-lost'>> {
    const entry = this.#open.get(traceId);
    return entry === undefined ? notOpen() : fetchTable(entry.dataSocket, table, columns);
  }

  close(traceId: string): void {
    const entry = this.#open.get(traceId);
    this.#open.delete(traceId);
    clearTimeout(this.#warm.get(traceId));
    this.#warm.delete(traceId);
    this.#users.delete(traceId);
    entry?.kill();
  }

  async closeAll(): Promise<void> {
    for (const traceId of [...this.#open.keys()]) this.close(traceId);
    const folder = await this.#socketFolder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #dataSocket(id: string): Promise<string> {
    if (process.platform === 'win32') return `\\\\.\\pipe\\stalltrace-${id}`;
    this.#socketFolder ??= mkdtemp(join(tmpdir(), 'stalltrace-'));
    return join(await this.#socketFolder, `${id.slice(0, 13)}.sock`);
  }
}

function notOpen(): Result<never, 'not-open'> {
  return fail('not-open', 'This trace is no longer open: open it again from the library.');
}

function lostSentence(path: string): string {
  return `The process that held ${path} ended unexpectedly: open the trace again; if it ends again, this machine may have too little free memory for it.`;
}
