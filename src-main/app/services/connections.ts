import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectedHost } from '../../shared/remote/connection.ts';
import type { RunPhase } from '../../shared/remote/run.ts';
import type { RemoteClient } from './remote-client.ts';

/** How long a connection waits for a page that was reloaded to come back. */
const ORPHAN_MS = 60_000;

/** Quitting must not hang on a host that does. */
const CLOSE_LIMIT_MS = 4000;

const DONE: ReadonlySet<RunPhase> = new Set(['brought', 'cleaned', 'abandoned']);

interface Connection {
  readonly address: string;
  readonly users: Set<AbortSignal>;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Who uses which connection. One whose windows have all gone is closed a while later, unless a capture
 * on its host is not done with: then it stays, so that the capture goes on being followed.
 */
export class Connections {
  readonly #remote: RemoteClient;
  readonly #idleMs: number;
  readonly #open = new Map<string, Connection>();

  constructor(remote: RemoteClient, idleMs = ORPHAN_MS) {
    this.#remote = remote;
    this.#idleMs = idleMs;
  }

  opened({ connection, address }: ConnectedHost, session: AbortSignal): void {
    this.#open.set(connection, { address, users: new Set(), idle: undefined });
    this.useBy(connection, session);
  }

  /** Call for whatever is asked over a connection. */
  useBy(connection: string, session: AbortSignal): void {
    const entry = this.#open.get(connection);
    if (entry === undefined || entry.users.has(session)) return;
    clearTimeout(entry.idle);
    entry.users.add(session);
    const leave = () => {
      entry.users.delete(session);
      if (entry.users.size === 0) this.#closeLater(connection, entry);
    };
    if (session.aborted) leave();
    else session.addEventListener('abort', leave, { once: true });
  }

  forget(connection: string): void {
    clearTimeout(this.#open.get(connection)?.idle);
    this.#open.delete(connection);
  }

  /** Signs out everywhere, so that what the connections run on this machine can end by itself. */
  async closeAll(): Promise<void> {
    const open = [...this.#open.keys()];
    for (const connection of open) this.forget(connection);
    const closed = open.map((connection) => this.#remote.call('disconnect', { connection }));
    const inTime = new AbortController();
    const limit = delay(CLOSE_LIMIT_MS, undefined, { signal: inTime.signal }).catch(
      () => undefined,
    );
    await Promise.race([Promise.all(closed), limit]);
    inTime.abort();
  }

  #closeLater(connection: string, entry: Connection): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => void this.#closeUnused(connection, entry), this.#idleMs).unref();
  }

  async #closeUnused(connection: string, entry: Connection): Promise<void> {
    const isNeeded = await this.#hasCapture(entry.address);
    if (entry.users.size > 0 || this.#open.get(connection) !== entry) return;
    if (isNeeded) return this.#closeLater(connection, entry);
    this.forget(connection);
    await this.#remote.call('disconnect', { connection });
  }

  async #hasCapture(address: string): Promise<boolean> {
    const runs = await this.#remote.call('runs', {});
    return runs.ok && runs.value.some((run) => run.address === address && !DONE.has(run.phase));
  }
}
