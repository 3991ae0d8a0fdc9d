import { join } from 'node:path';
import type { LibraryHealth, RestoredBackup } from '../shared/library/library-health.ts';
import { type Failure, fail, ok, type Result } from '../shared/rpc/result.ts';
import { atRest, collectGarbage } from '../system/at-rest.ts';
import { BackupKeeper } from './backups/backup-keeper.ts';
import { listBackups } from './backups/backups.ts';
import { restoreFile } from './backups/restore.ts';
import { Catalogue } from './catalogue.ts';
import { damageInFile } from './store/find-damage.ts';
import type { Store } from './store/store.ts';
import { isDamage, type Unavailable, unavailable } from './store/unavailable.ts';

/** The catalogue, in `library.db` of the user's data folder; shared by all hosts at once. */
export interface Library {
  /**
   * Runs `action` on the open catalogue. One that can't be opened is tried again at each call, since
   * the user may have mended it; until then a copy in memory answers what only reads.
   */
  use<T, Code extends string>(
    action: (store: Store) => Result<T, Code> | Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | Unavailable>>;
  health(): LibraryHealth;
  /** Puts a backup in the catalogue's place; what was there is kept beside the backups. */
  restoreBackup(
    name: string,
  ): Promise<Result<RestoredBackup, 'not-found' | 'disk-full' | Unavailable>>;
  /** Makes a backup of what is new, writes the log into the file, and answers nothing more. */
  end(): Promise<void>;
  /** Likewise, at once and without a backup. */
  close(): void;
}

/** How often a host that stays makes a backup of what was written meanwhile. */
const BACKUP_EVERY_MS = 3_600_000;

export function openLibrary(dataFolder: string): Library {
  const path = join(dataFolder, 'library.db');
  const keeper = new BackupKeeper(path, dataFolder);
  const catalogue = new Catalogue(path, dataFolder, (store) => void keeper.keep(store.database));
  const timer = setInterval(() => void backUp(), BACKUP_EVERY_MS).unref();
  const isUsed = atRest(collectGarbage);
  let ended = false;

  /** Only ever of a catalogue that passes its check now. */
  async function backUp(): Promise<void> {
    try {
      if (catalogue.current === undefined || !keeper.isDue()) return;
      if (damageInFile(path) !== undefined) return catalogue.leaveDamaged();
      await keeper.keep(catalogue.current.database);
    } catch (thrown) {
      keeper.fail(thrown);
    }
  }

  function close(): void {
    ended = true;
    clearInterval(timer);
    catalogue.close();
  }

  return {
    async use(action) {
      if (ended) return fail('library-unavailable', 'Stalltrace is closing.');
      isUsed();
      const opened = catalogue.open();
      if (!opened.ok) return refusal(opened.error);
      const { store } = opened.value;
      try {
        return await action(store);
      } catch (thrown) {
        catalogue.release(store, thrown);
        const failed = unavailable(path, thrown);
        // Why it can't be written; of one that is damaged, what its check says now.
        const now = opened.value.writable && isDamage(thrown) ? catalogue.open() : opened;
        if (!now.ok) return refusal(now.error);
        return now.value.writable ? failed : refusal(now.value.reason);
      }
    },
    health() {
      const opened = catalogue.open();
      const { problem } = keeper;
      const backups = listBackups(dataFolder);
      const rest = { backups, ...(problem !== undefined && { backupProblem: problem }) };
      const error = opened.ok
        ? opened.value.writable
          ? undefined
          : opened.value.reason
        : opened.error;
      if (error === undefined) return { state: 'ok', ...rest };
      const { message, detail } = error;
      const state = error.cause === 'not-ours' ? undefined : error.cause;
      return {
        state: state ?? 'unavailable',
        message,
        ...(detail !== undefined && { detail }),
        ...rest,
      };
    },
    async restoreBackup(name) {
      await keeper.settled();
      const backup = listBackups(dataFolder).find((each) => each.name === name);
      if (backup === undefined) {
        const message = `There is no backup ${name}: reload the list and choose another.`;
        return fail('not-found', message);
      }
      catalogue.close();
      const restored = restoreFile(path, dataFolder, name);
      return restored.ok ? ok({ backup, ...restored.value }) : restored;
    },
    async end() {
      await keeper.settled();
      catalogue.checkpoint();
      await backUp();
      close();
    },
    close,
  };
}

/** Without what only this process needs to know. */
function refusal({ code, message, detail }: Failure<Unavailable>): Result<never, Unavailable> {
  return fail(code, message, detail);
}
