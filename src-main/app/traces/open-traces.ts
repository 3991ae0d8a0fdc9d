import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { isSocketThere, SocketFolder } from '../../system/temporary-folder.ts';
import type { PerfettoOptions, TilesBody } from '../trace-process/bulk-server.ts';
import { fileIdentity } from './file-identity.ts';
import { HeldTrace, type OpenError, type Opening, type TraceClient } from './held-trace.ts';
import { defaultLimits, type OpenLimits, tooMany } from './open-limits.ts';
import { TraceLauncher } from './trace-launcher.ts';
import { Turns } from './turns.ts';
import { cancelled } from './unless-aborted.ts';

/** An open trace: the process that owns it and what it said when it opened the file. */
export interface OpenTrace {
  readonly id: string;
  readonly path: string;
  readonly summary: TraceSummary;
  /** Of the library, where it was opened from there. */
  readonly investigation?: number;
  readonly client: TraceClient;
}

interface Entry {
  trace: OpenTrace;
  readonly held: HeldTrace;
  /** What the file was just before it was opened; see file-identity.ts. */
  identity: string | undefined;
  readonly users: Set<AbortSignal>;
  readonly closing: AbortController;
  usedAt: number;
  /** When tiles of it were asked for last, ms: somebody looks at it, beside another one perhaps. */
  drawnAt: number;
  /** Closes the trace; runs while nobody reads it and somebody may yet. */
  idle: NodeJS.Timeout | undefined;
}

/** How long a file that was just added stays open unasked. */
const WARM_MS = 30_000;
/** For so long a trace counts as looked at after it was drawn: that of the one beside it in a comparison. */
const LOOKED_AT_MS = 5_000;
/** How long an open trace waits for a page that lost its connection to come back. */
const ORPHAN_MS = 60_000;

/**
 * The open traces of one host. Of those at which nobody looks, only a few keep their process; the others
 * are put away, and read again once somebody asks.
 */
export class OpenTraces {
  readonly #launcher: TraceLauncher;
  readonly #onLost: (traceId: string, message: string) => void;
  readonly #open = new Map<string, Entry>();
  readonly #sockets: SocketFolder;
  readonly #limits: OpenLimits;
  readonly #turns: Turns;
  /** The trace that each reader asked of last: it is on the screen. */
  readonly #watched = new Map<AbortSignal, string>();
  readonly #ended = new AbortController();
  /** Told of each opening before it begins. */
  readonly #onOpening = new Set<() => void>();
  readonly #onClosed = new Set<() => void>();
  #opening = 0;
  #uses = 0;
  /** Nothing was drawn for a while: what was looked at last may be put away. */
  #notDrawn: NodeJS.Timeout | undefined;
  /** The one trace that was opened only to be added. */
  #warm: string | undefined;

  constructor(
    platform: HostPlatform,
    scratchFolder: string,
    onLost: (traceId: string, message: string) => void,
    sockets = new SocketFolder(),
    limits = defaultLimits(),
    cacheFolder?: string,
  ) {
    this.#launcher = new TraceLauncher(platform, scratchFolder, cacheFolder);
    this.#onLost = onLost;
    this.#sockets = sockets;
    this.#limits = limits;
    this.#turns = new Turns(limits.opening);
  }

  /** `listener` is called whenever somebody is about to wait for a trace. */
  onOpening(listener: () => void): void {
    this.#onOpening.add(listener);
  }

  /** `listener` is called whenever a trace was closed, and there is more room. */
  onClosed(listener: () => void): void {
    this.#onClosed.add(listener);
  }

  /** Whether somebody waits for a trace just now. */
  get isOpening(): boolean {
    return !this.#turns.isIdle;
  }

  /** Whether one more trace of that size fits beside those that have a process; with none it does. */
  hasRoomFor(bytes: number): boolean {
    return this.#memoryBytes() === 0 || this.hasRoomBeside(bytes);
  }

  /** Whether so many bytes more fit beside those traces that have a process. */
  hasRoomBeside(bytes: number): boolean {
    return this.#memoryBytes() + bytes <= this.#limits.memoryBytes;
  }

  #memoryBytes(): number {
    return [...this.#open.values()].reduce((sum, { held }) => sum + held.memoryBytes(), 0);
  }

  #tellOpening(): void {
    for (const listener of this.#onOpening) listener();
  }

  /**
   * Opens `path` in a process of its own; aborting the context's signal kills it. `fileName`: what its user
   * calls it, where it lies under another name.
   */
  async open(
    path: string,
    context: CallContext,
    fileName?: string,
  ): Promise<Result<OpenTrace, OpenError>> {
    this.#tellOpening();
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    const opened = await this.#turns.take(signal, () =>
      this.#inRoom(() => this.#openNow(path, { ...context, signal }, fileName)),
    );
    return opened ?? cancelled();
  }

  /** Starts one more process, unless there are as many as there may be. */
  async #inRoom<T>(start: () => Promise<Result<T, OpenError>>): Promise<Result<T, OpenError>> {
    await this.#makeRoom(1);
    if (this.#processes() >= this.#limits.processes) return tooManyOpen(this.#limits);
    this.#opening++;
    try {
      return await start();
    } finally {
      this.#opening--;
    }
  }

  async #openNow(
    path: string,
    context: CallContext,
    fileName: string | undefined,
  ): Promise<Result<OpenTrace, OpenError>> {
    const id = randomUUID();
    const identity = await fileIdentity(path);
    const held = this.#hold(id, path);
    const started = await held.start(context, fileName);
    if (!started.ok) return started;
    const trace = { id, path, summary: started.value, client: held.client };
    const users = new Set<AbortSignal>();
    this.#open.set(id, {
      trace,
      held,
      identity,
      users,
      closing: new AbortController(),
      usedAt: ++this.#uses,
      drawnAt: -Infinity,
      idle: undefined,
    });
    return ok(trace);
  }

  #hold(id: string, path: string): HeldTrace {
    return new HeldTrace({
      path,
      launch: () => this.#launcher.launch(id),
      // Its own for each process: the one before it may not have let go yet.
      socketPath: () => this.#sockets.socketPath(randomUUID()),
      wake: (opening) => this.#wake(id, opening),
      onIdle: () => void this.#makeRoom(),
      onLost: (message) => {
        if (this.#forget(id)) this.#onLost(id, message);
      },
    });
  }

  /** Reads a file again whose process was put away. Where that fails, the trace is lost. */
  async #wake(id: string, opening: Opening): Promise<Result<TraceSummary, OpenError>> {
    const entry = this.#open.get(id);
    if (entry === undefined) return closed();
    this.#tellOpening();
    const signal = AbortSignal.any([opening.signal, this.#ended.signal]);
    const woken = await this.#turns.take(signal, async () =>
      entry.identity === (await fileIdentity(entry.trace.path))
        ? this.#inRoom(() => entry.held.start({ ...opening, signal }))
        : changed(entry.trace.path),
    );
    // Whoever asks next has it read again.
    if (woken === undefined || signal.aborted) return this.#open.has(id) ? cancelled() : closed();
    const isLost = !woken.ok && woken.error.code !== 'too-many-open';
    if (isLost && this.#forget(id)) this.#onLost(id, woken.error.message);
    return woken;
  }

  find(traceId: string): Result<OpenTrace, 'not-open'> {
    const entry = this.#open.get(traceId);
    return entry === undefined ? notOpen() : ok(entry.trace);
  }

  /** A trace of the library that is open, and in memory. */
  findAwake(investigation: number): OpenTrace | undefined {
    const isIts = ({ trace, held }: Entry) => held.isAwake && trace.investigation === investigation;
    return [...this.#open.values()].find(isIts)?.trace;
  }

  /** What an open trace says of itself, or whose it is, has changed. */
  refresh(traceId: string, change: Partial<Pick<OpenTrace, 'summary' | 'investigation'>>): void {
    const entry = this.#open.get(traceId);
    if (entry !== undefined) entry.trace = { ...entry.trace, ...change };
  }

  /** An open trace of a file of which `path` is a copy: it is a trace of that copy from now on. */
  async moveTo(traceId: string, path: string): Promise<Result<OpenTrace, 'not-open'>> {
    const identity = await fileIdentity(path);
    const entry = this.#open.get(traceId);
    if (entry === undefined) return notOpen();
    entry.identity = identity;
    entry.trace = { ...entry.trace, path };
    await entry.held.moved(path);
    return ok(entry.trace);
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
    if (entry === undefined) return;
    entry.usedAt = ++this.#uses;
    if (!session.aborted) this.#watched.set(session, traceId);
    if (entry.users.has(session)) return;
    this.#claim(entry);
    entry.users.add(session);
    const leave = () => {
      this.#watched.delete(session);
      entry.users.delete(session);
      if (entry.users.size === 0) this.#closeLater(entry, ORPHAN_MS);
    };
    if (session.aborted) leave();
    else session.addEventListener('abort', leave, { once: true });
    void this.#makeRoom();
  }

  /**
   * An open trace of the file as it is now that nobody reads: just added, or left behind by a page
   * that was reloaded. It becomes the caller's.
   */
  async takeIdle(path: string): Promise<Result<OpenTrace, never> | undefined> {
    const identity = await fileIdentity(path);
    if (identity === undefined) return undefined;
    for (const entry of this.#open.values()) {
      const { trace, held } = entry;
      if (entry.idle === undefined || trace.path !== path || entry.identity !== identity) continue;
      this.#claim(entry);
      if (held.dataSocket === undefined || (await isSocketThere(held.dataSocket))) return ok(trace);
      this.close(trace.id);
    }
    return undefined;
  }

  async openTiles(
    traceId: string,
    query: string,
    signal?: AbortSignal,
  ): Promise<Result<TilesBody, 'not-open' | 'not-found' | 'process-lost'>> {
    const entry = this.#open.get(traceId);
    if (entry !== undefined) this.#noteDrawn(entry);
    return this.#used(traceId)?.openTiles(query, signal) ?? notOpen();
  }

  async openPerfetto(
    traceId: string,
    options: PerfettoOptions,
    signal?: AbortSignal,
  ): Promise<Result<Readable, 'not-open' | 'process-lost'>> {
    return this.#used(traceId)?.openPerfetto(options, signal) ?? notOpen();
  }

  #noteDrawn(entry: Entry): void {
    entry.drawnAt = performance.now();
    clearTimeout(this.#notDrawn);
    this.#notDrawn = setTimeout(() => void this.#makeRoom(), LOOKED_AT_MS + 1).unref();
  }

  #used(traceId: string): HeldTrace | undefined {
    const entry = this.#open.get(traceId);
    if (entry !== undefined) entry.usedAt = ++this.#uses;
    return entry?.held;
  }

  /** Aborted once the trace is closed, for what works beside its process; undefined where it is not open. */
  closing(traceId: string): AbortSignal | undefined {
    return this.#open.get(traceId)?.closing.signal;
  }

  close(traceId: string): void {
    const entry = this.#forget(traceId);
    entry?.closing.abort();
    entry?.held.putAway();
    if (entry !== undefined && !this.#ended.signal.aborted)
      for (const listener of this.#onClosed) listener();
  }

  /** Ends every process, also those that still import, and removes their temporary files. */
  async closeAll(): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#notDrawn);
    for (const traceId of [...this.#open.keys()]) this.close(traceId);
    await this.#launcher.endAll();
    await this.#sockets.remove();
  }

  #processes(): number {
    const running = [...this.#open.values()].filter(({ held }) => held.isRunning);
    return running.length + this.#opening;
  }

  /** Puts the processes of traces away at which nobody looks, as long as there are too many for `more`. */
  async #makeRoom(more = 0): Promise<void> {
    const watched = new Set(this.#watched.values());
    const isFree = ({ trace, held, drawnAt }: Entry) =>
      held.isAwake &&
      !held.isBusy &&
      !watched.has(trace.id) &&
      performance.now() - drawnAt > LOOKED_AT_MS;
    const entries = [...this.#open.values()];
    // Most hosts have one trace, which is watched; measuring costs a file of /proc each.
    if (!entries.some(isFree)) return;
    const all = entries.map((entry) => ({
      entry,
      isFree: isFree(entry),
      usedAt: entry.usedAt,
      memoryBytes: entry.held.memoryBytes(),
    }));
    const excess = this.#processes() + more - this.#limits.processes;
    for (const { entry } of tooMany(all, this.#limits, excess)) await this.#putAway(entry);
    this.#forgetOldest();
  }

  /** A file that is another one by now can't be read again: its process stays while somebody reads it. */
  async #putAway(entry: Entry): Promise<void> {
    const { trace, held, users, identity, usedAt } = entry;
    const isSame = identity !== undefined && identity === (await fileIdentity(trace.path));
    // It was asked meanwhile.
    if (held.isBusy || entry.usedAt !== usedAt) return;
    if (isSame) held.putAway();
    else if (users.size === 0) this.close(trace.id);
  }

  #forgetOldest(): void {
    const away = [...this.#open.values()].filter(({ held }) => !held.isAwake);
    const oldest = away.sort((a, b) => a.usedAt - b.usedAt).slice(0, -this.#limits.putAway);
    for (const { trace } of oldest) this.close(trace.id);
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

function tooManyOpen({ processes }: OpenLimits): Result<never, 'too-many-open'> {
  const message = `${processes} traces are open in windows and tabs: close one of them, then open this one again.`;
  return fail('too-many-open', message);
}

function changed(path: string): Result<never, 'file-busy'> {
  return fail(
    'file-busy',
    `${path} was changed or removed since it was opened: open it again from the library.`,
  );
}

function closed(): Result<never, 'process-lost'> {
  return fail('process-lost', 'It was closed.');
}

function notOpen(): Result<never, 'not-open'> {
  return fail('not-open', 'This trace is no longer open: open it again from the library.');
}
