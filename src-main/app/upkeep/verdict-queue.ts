import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Investigation } from '../../shared/library/investigation.ts';
import { describeThrown, fail } from '../../shared/rpc/result.ts';
import { lowerPriority } from '../../system/lower-priority.ts';
import { SocketFolder } from '../../system/temporary-folder.ts';
import { diagnose } from '../opening/diagnose.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { HeldTrace, type TraceClient } from '../traces/held-trace.ts';
import { MEMORY_PER_BYTE } from '../traces/open-limits.ts';
import type { OpenTrace, OpenTraces } from '../traces/open-traces.ts';
import { TraceLauncher } from '../traces/trace-launcher.ts';

type Used = Pick<Services, 'platform' | 'library' | 'emit'> & {
  readonly traces: Pick<
    OpenTraces,
    'isOpening' | 'onOpening' | 'onClosed' | 'hasRoomFor' | 'findAwake'
  >;
};

interface Folders {
  readonly scratch: string;
  readonly cache?: string;
}

/** What follows an opening (tracks, figures, a diagnosis) goes first. */
const QUIET_MS = 4_000;

/**
 * Has the verdict of every trace in the library worked out that has none yet, so that the list shows it before the trace was
 * ever opened: the newest first, one at a time, in a process of its own to which all others go first. It gives way to every
 * opening, and ends with the app. What can't be read is tried again at the next start. A trace that is open is not read
 * a second time: the process that has it is asked.
 */
export class VerdictQueue {
  readonly #used: Used;
  readonly #launcher: TraceLauncher;
  readonly #sockets = new SocketFolder();
  readonly #quietMs: number;
  readonly #closed = new AbortController();
  /** Files that were tried, as they were then. */
  readonly #tried = new Set<string>();
  /** Ends what is worked out now. */
  #now: AbortController | undefined;
  #openedAtMs = performance.now();
  #begun = false;
  #running: Promise<void> | undefined;
  #isStale = false;

  constructor(used: Used, { scratch, cache }: Folders, quietMs = QUIET_MS) {
    this.#used = used;
    this.#launcher = new TraceLauncher(used.platform, scratch, cache);
    this.#quietMs = quietMs;
    used.traces.onOpening(() => {
      this.#openedAtMs = performance.now();
      this.#now?.abort();
    });
    // What did not fit beside it may fit now.
    used.traces.onClosed(() => this.changed());
  }

  /** From now on: for hosts that stay. */
  begin(): void {
    this.#begun = true;
    this.changed();
  }

  /** The list is another one. */
  changed(): void {
    this.#isStale = true;
    if (!this.#begun || this.#running !== undefined || this.#closed.signal.aborted) return;
    this.#running = this.#run()
      .catch((thrown: unknown) =>
        console.error('verdicts could not be worked out:', describeThrown(thrown)),
      )
      .finally(() => {
        this.#running = undefined;
        if (this.#isStale) this.changed();
      });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#launcher.endAll();
    await this.#sockets.remove();
  }

  async #run(): Promise<void> {
    for (;;) {
      if (!(await this.#hasQuiet())) return;
      this.#isStale = false;
      const entry = await this.#next();
      if (entry === undefined) return;
      // The list may take a while: somebody may have opened a trace meanwhile.
      if (this.#isPressed) continue;
      await this.#workOut(entry);
    }
  }

  get #isPressed(): boolean {
    const { isOpening } = this.#used.traces;
    return isOpening || performance.now() - this.#openedAtMs < this.#quietMs;
  }

  /** Waits until nobody opened a trace for a while; false where the app ends before. */
  async #hasQuiet(): Promise<boolean> {
    const { signal } = this.#closed;
    do {
      await delay(this.#quietMs / 2, undefined, { signal, ref: false }).catch(() => undefined);
    } while (!signal.aborted && this.#isPressed);
    return !signal.aborted;
  }

  async #next(): Promise<Investigation | undefined> {
    const listed = await this.#used.library.call('list', {});
    if (!listed.ok) return undefined;
    return listed.value
      .filter((entry) => entry.found === undefined && entry.state === 'ok')
      .filter((entry) => !this.#tried.has(keyOf(entry)))
      .filter(({ id, sizeBytes }) => {
        const { traces } = this.#used;
        return traces.findAwake(id) !== undefined || traces.hasRoomFor(sizeBytes * MEMORY_PER_BYTE);
      })
      .sort((a, b) => b.addedAt.localeCompare(a.addedAt))[0];
  }

  async #workOut(entry: Investigation): Promise<void> {
    const { platform } = this.#used;
    this.#tried.add(keyOf(entry));
    const now = new AbortController();
    this.#now = now;
    // Other hosts share the library; what they listed is no leave to read it here.
    const allowed = entry.sample ? undefined : await allowedPath(platform, entry.path);
    const signal = AbortSignal.any([now.signal, this.#closed.signal]);
    const open = this.#used.traces.findAwake(entry.id);
    if (open !== undefined) await this.#askOpen(open, entry, signal);
    else if (allowed?.ok !== false && !signal.aborted)
      await this.#ask(entry, allowed?.value ?? entry.path, signal);
    this.#now = undefined;
    // It gave way: its turn comes again.
    if (now.signal.aborted) this.#tried.delete(keyOf(entry));
  }

  /** What its window asks for too is worked out once. */
  async #askOpen(
    { id, client }: OpenTrace,
    entry: Investigation,
    signal: AbortSignal,
  ): Promise<void> {
    const { library, emit, traces } = this.#used;
    const call: TraceClient['call'] = (name, args, options) =>
      client.call(name, args, { ...options, signal });
    const told = await diagnose({ library, emit }, { client: { call }, investigation: entry.id });
    // It was closed before: then it is read.
    if (!told.ok && traces.findAwake(entry.id)?.id !== id) this.#tried.delete(keyOf(entry));
  }

  async #ask({ id }: Investigation, path: string, signal: AbortSignal): Promise<void> {
    const { library, emit } = this.#used;
    const launched = this.#launcher.launch(randomUUID());
    const giveWay = () => {
      if (launched.process.pid !== undefined) lowerPriority(launched.process.pid);
    };
    const held = new HeldTrace({
      path,
      launch: () => launched,
      socketPath: () => this.#sockets.socketPath(randomUUID()),
      wake: async () => fail('process-lost', 'It was closed.'),
      onIdle: () => undefined,
      onLost: () => undefined,
    });
    const end = () => {
      held.putAway();
      launched.process.kill();
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      giveWay();
      // Some hosts know its number only once it runs.
      const opened = await held.start({ signal, progress: giveWay });
      if (!opened.ok) return;
      giveWay();
      const roles = await library.call('roles', { id });
      if (roles.ok && roles.value.length > 0)
        await held.client.call('setRoles', { roles: [...roles.value] });
      await diagnose({ library, emit }, { client: held.client, investigation: id });
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
}

const keyOf = ({ id, path, sizeBytes }: Investigation) => `${id} ${sizeBytes} ${path}`;
