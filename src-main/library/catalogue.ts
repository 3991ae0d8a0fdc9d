import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ok } from '../shared/rpc/result.ts';
import { keepImage, listBackups } from './backups/backups.ts';
import { closeUnwritten, type OpenFailure, openDatabase } from './open-database.ts';
import { openReadOnlyCopy, type ReadOnlyCopy } from './read-only-copy.ts';
import { forgetOldRemovals } from './removals.ts';
import { type CatalogueFile, catalogueFile, hasLog, stateOfFiles } from './store/catalogue-file.ts';
import { damageInFile, findDamage } from './store/find-damage.ts';
import type { Store } from './store/store.ts';
import { createStoredPaths, realFolderOf } from './store/stored-path.ts';
import { isDamage, replaced, storageCode } from './store/unavailable.ts';
import { standAlone } from './store/wal-overlay.ts';

const HELD_PATIENCE_MS = 100;
/** At the end nobody waits long for another host that reads or writes. */
const CHECKPOINT_PATIENCE_MS = 250;

export interface CatalogueFailure extends Omit<OpenFailure, 'cause'> {
  readonly cause?: OpenFailure['cause'] | 'replaced';
}

type Opened =
  | { readonly writable: true; readonly store: Store }
  /** `reason`: why it can't be written. */
  | { readonly writable: false; readonly store: Store; readonly reason: CatalogueFailure };

type OpenResult =
  | { readonly ok: true; readonly value: Opened }
  | { readonly ok: false; readonly error: CatalogueFailure };

interface Current extends Store {
  readonly file: CatalogueFile;
}

/** The one open file, or what stands for it while it can't be used. */
export class Catalogue {
  readonly #path: string;
  readonly #dataFolder: string;
  readonly #onOpen: (store: Store) => void;
  #current: Current | undefined;
  /** What was read of a file that can't be written. */
  #copy: { readonly held: ReadOnlyCopy; readonly store: Store } | undefined;
  /** What the file held that was deleted or replaced while it was in use. */
  #lost:
    | { readonly file: CatalogueFile; readonly store: Store | undefined; reason: CatalogueFailure }
    | undefined;
  /** The files that failed their check: they are not checked again until they change. */
  #damaged: { readonly files: string; readonly error: CatalogueFailure } | undefined;

  constructor(path: string, dataFolder: string, onOpen: (store: Store) => void) {
    this.#path = path;
    this.#dataFolder = dataFolder;
    this.#onOpen = onOpen;
  }

  /** The catalogue as it can be written; nothing is opened. */
  get current(): Store | undefined {
    return this.#current?.file.isThere() ? this.#current : undefined;
  }

  open(): OpenResult {
    this.#lookAtPlace();
    if (this.#lost !== undefined) {
      const { store, reason } = this.#lost;
      if (store === undefined) return { ok: false, error: reason };
      return ok({ writable: false, store, reason });
    }
    if (this.#current !== undefined) return ok({ writable: true, store: this.#current });
    const failed = this.#openFile();
    if (failed === undefined && this.#current !== undefined) {
      return ok({ writable: true, store: this.#current });
    }
    if (failed === undefined) throw new Error('a catalogue that was opened is not there');
    const store = failed.cause === 'not-ours' ? undefined : this.#readableStore();
    return store === undefined
      ? { ok: false, error: failed }
      : ok({ writable: false, store, reason: failed });
  }

  #openFile(): CatalogueFailure | undefined {
    if (this.#damaged?.files === stateOfFiles(this.#path)) return this.#damaged.error;
    // With a copy at hand nobody waits long for a program that holds the file.
    const opened = openDatabase(this.#path, this.#copy && HELD_PATIENCE_MS);
    this.#damaged = undefined;
    if (!opened.ok) {
      const { error } = opened;
      if (error.cause === 'damaged') this.#damaged = { files: stateOfFiles(this.#path), error };
      return error;
    }
    this.#closeCopy();
    const file = catalogueFile(this.#path, this.#dataFolder);
    this.#current = { ...this.#toStore(opened.value), file };
    tryToForget(this.#current);
    this.#onOpen(this.#current);
    return undefined;
  }

  /** Whether the file that is open is still the library's; one that was moved away may be back. */
  #lookAtPlace(): void {
    if (this.#current !== undefined && !this.#current.file.isThere()) this.#lose(this.#current);
    if (this.#lost?.file.isThere()) this.#forgetLost();
  }

  /** Nothing more is written to a file that nobody finds again; what it held is kept as a backup. */
  #lose(current: Current): void {
    const { database, file } = current;
    this.#current = undefined;
    const store = this.#readOut(database);
    // SQLite leaves log and name alone where the file is no longer there.
    database.close();
    const isAnother = existsSync(this.#path);
    // Not in the empty place of a disk that is no longer mounted.
    if (store !== undefined && file.isFolderThere() && findDamage(store.database) === undefined) {
      tryTo(() => keepImage(store.database.serialize(), this.#dataFolder));
    }
    const [newest] = listBackups(this.#dataFolder);
    const reason = { ...replaced(this.#path, isAnother, newest), cause: 'replaced' } as const;
    this.#lost = { file, store, reason };
  }

  /** All that an open file holds, in memory; `undefined` where its disk is gone too. */
  #readOut(database: Database.Database): Store | undefined {
    let store: Store | undefined;
    tryTo(() => {
      store = this.#toStore(new Database(standAlone(database.serialize())));
      store.database.pragma('query_only = ON');
    });
    return store;
  }

  #readableStore(): Store | undefined {
    if (this.#copy?.held.isCurrent()) return this.#copy.store;
    this.#closeCopy();
    const held = openReadOnlyCopy(this.#path);
    if (held !== undefined) this.#copy = { held, store: this.#toStore(held.database) };
    return this.#copy?.store;
  }

  /** The next call opens it anew, unless the failure passes by itself. */
  release(store: Store, thrown: unknown): void {
    if (store !== this.#current) return;
    if (isDamage(thrown)) this.leaveDamaged();
    else if (!/BUSY|FULL|CONSTRAINT/.test(storageCode(thrown) ?? 'FULL')) this.#closeCurrent();
  }

  leaveDamaged(): void {
    if (this.#current !== undefined) closeUnwritten(this.#current.database, this.#path);
    this.#current = undefined;
  }

  /** The log into the file, also while other hosts have it open; but not into one that is damaged. */
  checkpoint(): void {
    const database = this.current?.database;
    if (database === undefined || !hasLog(this.#path)) return;
    tryTo(() => {
      if (damageInFile(this.#path) !== undefined) return this.leaveDamaged();
      database.pragma(`busy_timeout = ${CHECKPOINT_PATIENCE_MS}`);
      database.pragma('wal_checkpoint(TRUNCATE)');
    });
  }

  /** Of all that is open; the next call opens it anew. */
  close(): void {
    this.checkpoint();
    this.#closeCopy();
    this.#closeCurrent();
    this.#forgetLost();
    this.#damaged = undefined;
  }

  #closeCurrent(): void {
    this.#current?.database.close();
    this.#current = undefined;
  }

  #closeCopy(): void {
    this.#copy?.held.database.close();
    this.#copy = undefined;
  }

  #forgetLost(): void {
    this.#lost?.store?.database.close();
    this.#lost = undefined;
  }

  #toStore(database: Store['database']): Store {
    const paths = createStoredPaths(this.#dataFolder, realFolderOf(this.#dataFolder));
    return { database, paths };
  }
}

/** No reason to refuse the library: it is tried again at the next opening. */
function tryToForget(store: Store): void {
  tryTo(() => forgetOldRemovals(store));
}

/** For what the storage may refuse without harm. */
function tryTo(action: () => void): void {
  try {
    action();
  } catch (thrown) {
    if (storageCode(thrown) === undefined) throw thrown;
  }
}
