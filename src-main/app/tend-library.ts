import { stat } from 'node:fs/promises';
import { describeThrown } from '../shared/result.ts';
import { SPARED_MS, sweepFiles } from './file-store/sweep.ts';
import { realPath } from './real-path.ts';
import type { Services } from './services.ts';

/**
 * Looks after the library while a host runs: what earlier starts left undone, and after it has been
 * quiet for a while, what imports left behind. Call `changed` whenever the list changes.
 */
export class LibraryTender {
  readonly #services: Services;
  #timer: NodeJS.Timeout | undefined;
  #begun = false;

  constructor(services: Services) {
    this.#services = services;
  }

  begin(): void {
    this.#begun = true;
    this.#tend(async () => {
      await adoptUploads(this.#services);
      await this.#services.removals.takeDue();
      await sweep(this.#services);
      await hashAll(this.#services);
    });
  }

  changed(): void {
    if (!this.#begun) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#tend(() => sweep(this.#services)),
      SPARED_MS + 1000,
    ).unref();
  }

  close(): void {
    this.#begun = false;
    clearTimeout(this.#timer);
  }

  #tend(action: () => Promise<void>): void {
    action().catch((thrown: unknown) =>
      console.error('the library could not be looked after:', describeThrown(thrown)),
    );
  }
}

function sweep({ files, library, removals, platform }: Services): Promise<void> {
  return sweepFiles(files, {
    list: async () => {
      const listed = await library.call('list', {});
      return listed.ok ? listed.value : undefined;
    },
    isKnown: isKnownTo(library),
    dispose: (path) => removals.dispose(path),
    trash: platform.trash,
  });
}

/** Whether the library has an entry with this path, also a removed one; so where it can't be asked. */
export function isKnownTo(library: Services['library']) {
  return async (path: string, sizeBytes: number): Promise<boolean> => {
    const found = await library.call('ofSize', { sizeBytes });
    if (!found.ok) return true;
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
