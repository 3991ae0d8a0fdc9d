import { lstat, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EventName, Events } from '../../contract/contract.ts';
import type { DueRemoval } from '../../shared/contract/library-process-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { describeThrown } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { forgetKept } from '../../trace/cache/trace-cache.ts';
import type { FileStore } from '../file-store/file-store.ts';
import type { LibraryClient } from './library-client.ts';

/** How long a removal can be undone with its file in place. */
const GRACE_MS = 15_000;
/** Disks keep time as coarse as this (FAT), and a network drive's clock is another. */
const CLOCK_MS = 2_000;

interface RemovalServices {
  readonly platform: HostPlatform;
  readonly library: LibraryClient;
  readonly files: FileStore;
  /** What large traces held is kept there: of one that is removed, no longer. */
  readonly cacheFolder?: string;
  emit<E extends EventName>(name: E, payload: Events[E]): void;
}

/** Deals with the files of removed entries, once their removal can no longer be undone. */
export class Removals {
  readonly #services: RemovalServices;
  readonly #graceMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(services: RemovalServices, graceMs = GRACE_MS) {
    this.#services = services;
    this.#graceMs = graceMs;
  }

  /** Call after every removal. What a host that ends leaves undone, the next start does. */
  schedule(): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.takeDue().catch((bug: unknown) => console.error('bug while files were removed:', bug));
    }, this.#graceMs + 100).unref();
    this.#timers.add(timer);
  }

  async takeDue(): Promise<void> {
    const due = await this.#services.library.call('takeDueRemovals', { graceMs: this.#graceMs });
    if (!due.ok) return;
    for (const removal of due.value) {
      await this.#finish(removal);
      await forgetKept(this.#services.cacheFolder, removal.path);
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Moves a copy of the library's own to the trash; where there is none, it is deleted. */
  async dispose(path: string): Promise<void> {
    const { platform, files } = this.#services;
    const isOwn = await files.owns(path);
    if (platform.trash !== undefined) await platform.trash(path);
    else if (isOwn) await rm(path, { force: true });
    // Its folder, named by its hash, has nothing else in it.
    if (isOwn) await rmdir(dirname(path)).catch(() => undefined);
  }

  async #finish({ id, path, trashFile, removedAt }: DueRemoval): Promise<void> {
    const { library, files, emit } = this.#services;
    if (!trashFile || files.isInUse(path) || !(await isPlainFile(path))) return;
    // Those before it may have taken minutes: the user may have put this one back meanwhile.
    const listed = await library.call('find', { id });
    if (listed.ok || listed.error.code !== 'not-found') return;
    if (!(await files.owns(path)) && (await isNewer(path, removedAt))) {
      emit('library.trashFailed', { message: newerSentence(path) });
      return;
    }
    try {
      await this.dispose(path);
    } catch (thrown) {
      // What can't be thrown away is not gone: it is shown again.
      await library.call('restore', { id });
      emit('library.changed', null);
      emit('library.trashFailed', { message: trashSentence(path) });
      console.error(`${cleanText(path, 4096)} was not moved to the trash:`, describeThrown(thrown));
    }
  }
}

async function isPlainFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

/** Whether the file was put there, or written, after the user threw away what was there then. */
async function isNewer(path: string, removedAt: string): Promise<boolean> {
  return (await lstat(path)).ctimeMs > Date.parse(removedAt) + CLOCK_MS;
}

function newerSentence(path: string): string {
  return `${path} was changed after its entry was removed, so it was not moved to the trash: delete it yourself if you no longer need it.`;
}

function trashSentence(path: string): string {
  return `${path} could not be moved to the trash and is back on the list: check its folder's permissions, or remove the entry without its file.`;
}
