import type { DatabaseSync } from 'node:sqlite';
import type { Trace } from '../../shared/model/trace.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { Progress } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';

export interface ImportContext {
  /** The file's name as the user knows it, for messages. */
  readonly fileName: string;
  /** Called at least every 100,000 rows. */
  progress(progress: Progress): void;
}

/** One file format. Gets a database opened by open-database.ts: read-only, authorized, hostile. */
export interface Importer {
  readonly format: string;
  /** Whether this is a file of the format, of any version; never throws on a strange schema. */
  recognises(database: DatabaseSync): boolean;
  importTrace(database: DatabaseSync, context: ImportContext): Result<Trace, TraceFileError>;
}
