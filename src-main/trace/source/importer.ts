import type { DatabaseSync } from 'node:sqlite';
import type { TableName } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { Progress } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import type { TraceSource } from './trace-source.ts';

/** How far a table was read. */
interface TableSoFar {
  readonly table: TableName;
  /** Rows that were read, usable or not. */
  readonly rows: number;
  readonly isWhole: boolean;
}

/** What was read of a file until now. */
export interface ReadSoFar {
  /** The tables that are read, in the order in which they are read. */
  tables(): readonly TableSoFar[];
  /** As a trace, as TraceBuilder.soFar makes it: for a look that ends before the importer goes on. */
  trace(): Trace;
}

export interface ImportContext {
  /** The file's name as the user knows it, for messages. */
  readonly fileName: string;
  /** Called at least every 100,000 rows. */
  progress(progress: Progress): void;
  /** Told so often too, by formats whose files are large, in case somebody wants a first look. */
  soFar?(read: ReadSoFar): void;
}

/** What a format is told by: how the content begins, and its database where it is one. Never the name. */
export type Recognisable = Pick<TraceSource, 'head' | 'database'>;

/** One file format. What it gets is hostile. */
export interface Importer {
  readonly format: string;
  /** Whether this is a file of the format, of any version: false = not mine. Never throws on what is strange. */
  recognises(source: Recognisable): boolean;
  importTrace(source: TraceSource, context: ImportContext): Result<Trace, TraceFileError>;
}

/** A format whose files are databases, opened by open-database.ts: read-only, authorized. */
interface DatabaseFormat {
  readonly format: string;
  recognises(database: DatabaseSync): boolean;
  importTrace(database: DatabaseSync, context: ImportContext): Result<Trace, TraceFileError>;
}

export function databaseImporter({ format, recognises, importTrace }: DatabaseFormat): Importer {
  return {
    format,
    recognises: ({ database }) => database !== undefined && recognises(database),
    importTrace({ database }, context) {
      if (database === undefined) throw new Error(`${format} was handed what is no database`);
      return importTrace(database, context);
    },
  };
}
