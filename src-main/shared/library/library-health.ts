import { z } from 'zod';

/** When it was made, UTC, fit for a file name: `2026-11-22T23-40-11Z`. */
export const backupName = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);

/** A whole copy of the catalogue that was sound when it was made. */
export interface LibraryBackup {
  /** As `backupName`: what `library.restoreBackup` is told. */
  readonly name: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly entries: number;
  readonly notes: number;
  /** That the user kept. */
  readonly statements: number;
}

/** Whether the library can be trusted and written, and what to do where it can't. */
export interface LibraryHealth {
  /**
   * `damaged`: it failed its check, and nothing is written to it. `replaced`: its file was deleted or
   * another took its place while it was in use. `unavailable`: it can't be written, or not even read.
   */
  readonly state: 'ok' | 'damaged' | 'replaced' | 'unavailable';
  /** One sentence with the next step, unless it is `ok`. */
  readonly message?: string;
  readonly detail?: string;
  /** Newest first. */
  readonly backups: readonly LibraryBackup[];
  /** Why the last backup could not be written. */
  readonly backupProblem?: string;
}

export interface RestoredBackup {
  readonly backup: LibraryBackup;
  /** Where the file that was there before is kept; absent where there was none. */
  readonly keptAs?: string;
}
