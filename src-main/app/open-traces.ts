import { randomUUID } from 'node:crypto';
import { type Child, connectChild } from '../rpc/child.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { TraceProcessCalls } from '../shared/process-contract.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import type { CallContext, CommonError } from '../shared/rpc.ts';
import type { TraceSummary } from '../shared/summary.ts';
import type { TraceFileError } from '../shared/trace-file-errors.ts';
import { fileIdentity } from './file-identity.ts';
import { fetchTable, type TableBody } from './table-server.ts';
import { isSocketThere, SocketFolder } from './temporary-folder.ts';
import { type LaunchedTrace, TraceLauncher } from './trace-launcher.ts';

/** An open trace: the process that owns it and what it said when it opened the file. */
export interface OpenTrace {
  readonly id: string;
  readonly path: string;
  readonly summary: TraceSummary;
  /** Of the library, where it was opened from there. */
  readonly investigation?: number;
  readonly client: Child<TraceProcessCalls>['client'];
}

interface Entry {
  trace: OpenTrace;
  /** What the file was just before it was opened; see file-identity.ts. */
  readonly identity: string | undefined;
  readonly dataSocket: string;
  readonly users: Set<AbortSignal>;
  /** Closes the trace; runs while nobody reads it and somebody may yet. */
  idle: NodeJS.Timeout | undefined;
  kill(): void;
}

/** How long a file that was just added stays open unasked. */
const WARM_MS = 30_000;
/** How long an open trace waits for a page that lost its connection to come back. */
const ORPHAN_MS = 60_000;

type OpenError = TraceFileError | CommonError;

/** The processes of all open traces of one host. */
export class OpenTraces {
  readonly #launcher: TraceLauncher;
  readonly #onLost: (traceId: string, message: string) => void;
  readonly #open = new Map<string, Entry>();
  readonly #sockets: SocketFolder;
  /** The one trace that was opened only to be added. */
  #warm: string | undefined;
  #closed = false;

  constructor(
    platform: HostPlatform,
    scratchFolder: string,
    onLost: (traceId: string, message: string) => void,
    sockets = new SocketFolder(),
  ) {
    this.#launcher = new TraceLauncher(platform, scratchFolder);
    this.#onLost = onLost;
    this.#sockets = sockets;
  }

  /** Opens `path` in a process of its own; aborting the context's signal kills it. */
  async open(path: string, context: CallContext): Promise<Result<OpenTrace, OpenError>> {
    const id = randomUUID();
    const identity = await fileIdentity(path);
    const socket = await this.#sockets.socketPath(id);
    if (!socket.ok) return socket;
    if (context.signal.aborted || this.#closed) return cancelled();
    const launched = this.#launcher.launch(id);
    const kill = () => launched.process.kill();
    context.signal.addEventListener('abort', kill, { once: true });
    const child = connectChild<TraceProcessCalls>(launched.process);
    const opened = await importFile(child, launched, path, socket.value, context);
    context.signal.removeEventListener('abort', kill);
    const result = context.signal.aborted ? cancelled() : opened;
    if (!result.ok) {
      kill();
      return result;
    }
    const trace = { id, path, summary: result.value, client: child.client };
    const users = new Set<AbortSignal>();
    this.#open.set(id, { trace, identity, dataSocket: socket.value, users, idle: undefined, kill });
    launched.process.onExit((reason) => {
      if (this.#forget(id)) this.#onLost(id, `${lostSentence(path)} (${reason})`);
    });
    return ok(trace);
  }

  find(traceId: string): Result<OpenTrace, 'not-open'> {
    const entry = this.#open.get(traceId);
    return entry === undefined ? notOpen() : ok(entry.trace);
  }

  /** What an open trace says of itself, or whose it is, has changed. */
  refresh(traceId: string, change: Partial<Pick<OpenTrace, 'summary' | 'investigation'>>): void {
    const entry = this.#open.get(traceId);
    if (entry !== undefined) entry.trace = { ...entry.trace, ...change };
  }

  /** Keeps a trace that was opened only to be added, for the `trace.open` that usually follows. */
  keepWarm(traceId: string): void {
    const entry = this.#open.get(traceId);
    if (entry === undefined) return;
    if (this.#warm !== undefined && this.#warm !== traceId) this.close(this.#warm);
    this.#warm = traceId;
    this.#closeLater(entry, WARM_MS);
  }

  /** Notes who reads the trace: a while after the last reader has gone, it is closed. */
  useBy(traceId: string, session: AbortSignal): void {
    const entry = this.#open.get(traceId);
    if (entry === undefined || entry.users.has(session)) return;
    this.#claim(entry);
    entry.users.add(session);
    const leave = () => {
      entry.users.delete(session);
      if (entry.users.size === 0) this.#closeLater(entry, ORPHAN_MS);
    };
    if (session.aborted) leave();
    else session.addEventListener('abort', leave, { once: true });
  }

  /**
   * An open trace of the file as it is now that nobody reads: just added, or left behind by a page
   * that was reloaded. It becomes the caller's.
   */
  async takeIdle(path: string): Promise<Result<OpenTrace, never> | undefined> {
    const identity = await fileIdentity(path);
    if (identity === undefined) return undefined;
    for (const entry of this.#open.values()) {
      const { trace, dataSocket } = entry;
      if (entry.idle === undefined || trace.path !== path || entry.identity !== identity) continue;
      this.#claim(entry);
      if (await isSocketThere(dataSocket)) return ok(trace);
      this.close(trace.id);
    }
    return undefined;
  }

  async openTable(
    traceId: string,
    table: string,
    columns: readonly string[] | undefined,
    signal?: AbortSignal,
  ): Promise<Result<TableBody, 'not-open' | 'not-found' | 'process-lost'>> {
    const entry = this.#open.get(traceId);
    return entry === undefined ? notOpen() : fetchTable(entry.dataSocket, table, columns, signal);
  }

  close(traceId: string): void {
    this.#forget(traceId)?.kill();
  }

  /** Ends every process, also those that still import, and removes their temporary files. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    for (const traceId of [...this.#open.keys()]) this.close(traceId);
    await this.#launcher.endAll();
    await this.#sockets.remove();
  }

  #closeLater(entry: Entry, afterMs: number): void {
    clearTimeout(entry.idle);
    if (this.#open.get(entry.trace.id) !== entry) return;
    entry.idle = setTimeout(() => this.close(entry.trace.id), afterMs);
    entry.idle.unref();
  }

  #claim(entry: Entry): void {
    clearTimeout(entry.idle);
    entry.idle = undefined;
    if (this.#warm === entry.trace.id) this.#warm = undefined;
  }

  #forget(traceId: string): Entry | undefined {
    const entry = this.#open.get(traceId);
    if (entry !== undefined) this.#claim(entry);
    this.#open.delete(traceId);
    return entry;
  }
}

async function importFile(
  child: Child<TraceProcessCalls>,
  { scratchFolder }: LaunchedTrace,
  path: string,
  dataSocket: string,
  context: CallContext,
): Promise<Result<TraceSummary, OpenError>> {
  const opened = await child.client.call(
    'open',
    { path, scratchFolder, dataSocket },
    { onProgress: (progress) => context.progress(progress) },
  );
  if (opened.ok || opened.error.code !== 'disconnected') return opened;
  return fail('process-lost', lostSentence(path), opened.error.message);
}

function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Cancelled.');
}

function notOpen(): Result<never, 'not-open'> {
  return fail('not-open', 'This trace is no longer open: open it again from the library.');
}

function lostSentence(path: string): string {
  return `The process that held ${path} ended unexpectedly: open the trace again; if it ends again, this machine may have too little free memory for it.`;
}
