import { setTimeout as delay } from 'node:timers/promises';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { LibraryClient } from './library-client.ts';

/** What follows an import, its opening, goes first. */
const PAUSE_MS = 1_000;

/** Has the files of entries hashed that were not yet, one at a time, when nothing is pressing. */
export class HashQueue {
  readonly #library: LibraryClient;
  readonly #onHashed: () => void;
  readonly #waiting = new Map<number, Investigation>();
  readonly #closed = new AbortController();
  #running = false;

  constructor(library: LibraryClient, onHashed: () => void) {
    this.#library = library;
    this.#onHashed = onHashed;
  }

  /** Takes an entry that has no hash, or whose file was touched since and may still be the same. */
  add(entry: Investigation): void {
    const { id, sha256, state } = entry;
    const isWanted = state !== 'missing' && (sha256 === undefined || state === 'changed');
    if (!isWanted || this.#closed.signal.aborted) return;
    this.#waiting.set(id, entry);
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    this.#running = true;
    const { signal } = this.#closed;
    for (const entry of this.#waiting.values()) {
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      this.#waiting.delete(entry.id);
      // What can't be hashed is asked for again at the next start.
      if (await this.#hash(entry)) this.#onHashed();
    }
    this.#running = false;
  }

  /** Whether the entry is another one now. */
  async #hash({ id, path, sizeBytes, storage, sha256 }: Investigation): Promise<boolean> {
    if (sha256 === undefined) return (await this.#library.call('hash', { id })).ok;
    const hashed = await this.#library.call('hashFile', { path });
    if (!hashed.ok || hashed.value !== sha256) return false;
    const place = { id, path, sizeBytes, storage, sha256 };
    return (await this.#library.call('relocate', place)).ok;
  }
}
