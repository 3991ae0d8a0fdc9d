import { join } from 'node:path';
import type { Failure, Result } from '../shared/result.ts';
import { openDatabase } from './open-database.ts';
import { openReadOnlyCopy, type ReadOnlyCopy } from './read-only-copy.ts';
import { forgetOldRemovals } from './removals.ts';
import type { Store } from './store.ts';
import { createStoredPaths, realFolderOf } from './stored-path.ts';
import { storageCode, type Unavailable, unavailable } from './unavailable.ts';

/** The catalogue, in `library.db` of the user's data folder; shared by all hosts at once. */
export interface Library {
  /**
   * Runs `action` on the open catalogue. One that can't be opened is tried again at each call, since
   * the user may have mended it; until then a copy in memory answers what only reads.
   */
  use<T, Code extends string>(
    action: (store: Store) => Result<T, Code> | Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | Unavailable>>;
  close(): void;
}

const HELD_PATIENCE_MS = 100;

type Opened =
  | { readonly writable: true; readonly store: Store }
  /** `reason`: why it can't be written. */
  | { readonly writable: false; readonly store: Store; readonly reason: Failure<Unavailable> };

export function openLibrary(dataFolder: string): Library {
  const path = join(dataFolder, 'library.db');
  let current: Store | undefined;
  let copy: { readonly held: ReadOnlyCopy; readonly store: Store } | undefined;

  function toStore(database: Store['database']): Store {
    return { database, paths: createStoredPaths(dataFolder, realFolderOf(dataFolder)) };
  }

  function open(): Result<Opened, Unavailable> {
    if (current !== undefined) return { ok: true, value: { writable: true, store: current } };
    // With a copy at hand nobody waits long for a program that holds the file.
    const opened = openDatabase(path, copy === undefined ? undefined : HELD_PATIENCE_MS);
    if (opened.ok) {
      closeCopy();
      current = toStore(opened.value);
      tryToForget(current);
      return { ok: true, value: { writable: true, store: current } };
    }
    const store = readableStore();
    return store === undefined
      ? opened
      : { ok: true, value: { writable: false, store, reason: opened.error } };
  }

  function readableStore(): Store | undefined {
    if (copy?.held.isCurrent()) return copy.store;
    closeCopy();
    const held = openReadOnlyCopy(path);
    if (held !== undefined) copy = { held, store: toStore(held.database) };
    return copy?.store;
  }

  function closeCopy(): void {
    copy?.held.database.close();
    copy = undefined;
  }

  /** The next call opens it anew, unless the failure passes by itself. */
  function release(store: Store, thrown: unknown): void {
    if (store !== current || /BUSY|FULL|CONSTRAINT/.test(storageCode(thrown) ?? 'FULL')) return;
    current.database.close();
    current = undefined;
  }

  return {
    async use(action) {
      const opened = open();
      if (!opened.ok) return opened;
      try {
        return await action(opened.value.store);
      } catch (thrown) {
        release(opened.value.store, thrown);
        const failed = unavailable(path, thrown);
        return opened.value.writable ? failed : { ok: false, error: opened.value.reason };
      }
    },
    close() {
      closeCopy();
      current?.database.close();
      current = undefined;
    },
  };
}

/** No reason to refuse the library: it is tried again at the next opening. */
function tryToForget(store: Store): void {
  try {
    forgetOldRemovals(store);
  } catch (thrown) {
    if (storageCode(thrown) === undefined) throw thrown;
  }
}
