import { stat } from 'node:fs/promises';
import { describeThrown } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { realPath } from '../../system/real-path.ts';
import { SPARED_MS, sweepFiles } from '../file-store/sweep.ts';
import { listTaken } from '../intake/list-taken.ts';
import { takeFile } from '../intake/take-file.ts';
import type { Services } from '../services/services.ts';

/**
 * Looks after the library while a host runs: what earlier starts left undone, and after it has been
 * quiet for a while, what imports left behind. Call `changed` whenever the list changes.
 */
export class LibraryTender {
  readonly #services: Services;
  #timer: NodeJS.Timeout | undefined;
  #begun = false;
  /** The copies that were tried to be listed again: once is enough. */
  readonly #adopted = new Set<string>();
  readonly #ended = new AbortController();

  constructor(services: Services) {
    this.#services = services;
  }

  begin(): void {
    this.#begun = true;
    this.#tend(async () => {
      await adoptUploads(this.#services);
      await this.#services.removals.takeDue();
      await this.#sweep();
      await hashAll(this.#services);
    });
  }

  changed(): void {
    if (!this.#begun) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tend(() => this.#sweep()), SPARED_MS + 1000).unref();
  }

  close(): void {
    this.#begun = false;
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  #sweep(): Promise<void> {
    const { files, library, removals } = this.#services;
    return sweepFiles(files, {
      list: () => wholeList(library),
      isKnown: isKnownTo(library),
      dispose: (path) => removals.dispose(path),
      adopt: async (path) => {
        if (this.#adopted.has(path)) return;
        this.#adopted.add(path);
        await adopt(this.#services, path, this.#ended.signal);
      },
    });
  }

  #tend(action: () => Promise<void>): void {
    action().catch((thrown: unknown) =>
      console.error('the library could not be looked after:', describeThrown(thrown)),
    );
  }
}

/** All entries, where the library is sure to know all of them. */
async function wholeList(library: Services['library']) {
  const listed = await library.call('list', {});
  return listed.ok && (await isWhole(library)) ? listed.value : undefined;
}

/** Of a library that is damaged, or can't be written, only what can be read is answered. */
async function isWhole(library: Services['library']): Promise<boolean> {
  const health = await library.call('health', {});
  return health.ok && health.value.state === 'ok';
}

/** Lists a copy of ours again that came after the backup which is the library now. */
async function adopt(services: Services, path: string, signal: AbortSignal): Promise<void> {
  const context = { signal, session: signal, progress: () => undefined };
  const taken = await takeFile(services, path, 'reference', context);
  const listed = taken.ok ? await listTaken(services, taken.value, context) : taken;
  if (listed.ok) return;
  console.error(`${cleanText(path, 4096)} is on no list and stays:`, listed.error.message);
}

/** Whether the library has an entry with this path, also a removed one; `undefined` where it can't tell. */
export function isKnownTo(library: Services['library']) {
  return async (path: string, sizeBytes: number): Promise<boolean | undefined> => {
    const found = await library.call('ofSize', { sizeBytes });
    if (!found.ok || !(await isWhole(library))) return undefined;
    const copies = found.value.filter(({ storage }) => storage === 'copied');
    const paths = await Promise.all(copies.map((entry) => realPath(entry.path)));
    return paths.includes(path) || found.value.some((entry) => entry.path === path);
  };
}

/** Copies of versions that did not tell copies from the user's own files. */
async function adoptUploads({ library, files, emit }: Services): Promise<void> {
  const listed = await library.call('list', {});
  if (!listed.ok) return;
  for (const { id, path, storage, sha256 } of listed.value) {
    if (storage === 'copied' || !(await files.owns(path))) continue;
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) continue;
    const known = sha256 === undefined ? {} : { sha256 };
    const place = { path, sizeBytes: found.size, storage: 'copied' as const };
    const moved = await library.call('relocate', { id, ...place, ...known });
    if (moved.ok) emit('library.changed', null);
  }
}

async function hashAll({ library, hashing }: Services): Promise<void> {
  const listed = await library.call('list', {});
  if (!listed.ok) return;
  for (const entry of listed.value) hashing.add(entry);
}
