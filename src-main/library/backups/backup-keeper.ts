import type Database from 'better-sqlite3';
import { describeThrown } from '../../shared/rpc/result.ts';
import { writtenAtMs } from '../store/catalogue-file.ts';
import { isDiskFull, storageCode } from '../store/unavailable.ts';
import { newestBackupMs, writeBackup } from './backups.ts';

/** Makes a backup of the catalogue at `path` where it was written since the last one; one at a time. */
export class BackupKeeper {
  readonly #path: string;
  readonly #dataFolder: string;
  #running: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  constructor(path: string, dataFolder: string) {
    this.#path = path;
    this.#dataFolder = dataFolder;
  }

  /** One sentence on why the last one could not be written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  isDue(): boolean {
    return writtenAtMs(this.#path) > newestBackupMs(this.#dataFolder);
  }

  /** Of a `database` that just passed its check. */
  keep(database: Database.Database): Promise<void> {
    this.#running = this.#running.then(() => this.#write(database));
    return this.#running;
  }

  /** What kept one from being made: it is told, and the next one is tried in its time. */
  fail(thrown: unknown): void {
    this.#problem = sentence(this.#dataFolder, thrown);
  }

  /** Resolves when none is being written. */
  settled(): Promise<void> {
    return this.#running;
  }

  async #write(database: Database.Database): Promise<void> {
    try {
      if (!database.open || !this.isDue() || isEmpty(database)) return;
      await writeBackup(database, this.#dataFolder);
      this.#problem = undefined;
    } catch (thrown) {
      // The catalogue was closed meanwhile: another one, or the next start, makes it.
      if (!database.open) return;
      this.fail(thrown);
    }
  }
}

/** Nothing would be lost with it, and nobody wants it back. */
function isEmpty(database: Database.Database): boolean {
  const rows = 'SELECT EXISTS (SELECT 1 FROM investigation) OR EXISTS (SELECT 1 FROM setting)';
  return database.prepare<[], number>(rows).pluck().get() === 0;
}

function sentence(dataFolder: string, thrown: unknown): string {
  return isDiskFull(storageCode(thrown) ?? '')
    ? `The library has no new backup, as the disk of ${dataFolder} is full: free some space.`
    : `The library has no new backup (${describeThrown(thrown)}): check the disk and the permissions of ${dataFolder}/backups.`;
}
