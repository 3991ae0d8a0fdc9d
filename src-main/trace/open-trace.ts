import type { DatabaseSync } from 'node:sqlite';
import { tableNames } from '../shared/model/schema.ts';
import type { Trace } from '../shared/model/trace.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { Progress } from '../shared/rpc/rpc.ts';
import type { TraceFileError } from '../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../shared/text/text.ts';
import { limitTrace } from './build/limit-trace.ts';
import { markPartial } from './build/mark-partial.ts';
import { readKeptNotices } from './files/kept-notices.ts';
import type { Importer } from './source/importer.ts';
import { type OpenDatabase, openDatabase } from './sqlite/open-database.ts';
import { catchingSqlite } from './sqlite/sqlite-failure.ts';

export interface OpenTraceOptions {
  /** Where private copies may be made; created where missing. */
  readonly scratchDir: string;
  /** The formats to try, in order. */
  readonly importers: readonly Importer[];
  progress(progress: Progress): void;
}

/**
 * Reads the trace file at `path`, of whatever format, into columns. The file and its folder stay
 * untouched. Blocks until done: it belongs in a process of its own.
 */
export function openTrace(path: string, options: OpenTraceOptions): Result<Trace, TraceFileError> {
  const opened = openDatabase(path, options.scratchDir);
  if (!opened.ok) return opened;
  try {
    return catchingSqlite(opened.value.fileName, () => importFrom(opened.value, options));
  } finally {
    opened.value.close();
  }
}

function importFrom(
  opened: OpenDatabase,
  options: OpenTraceOptions,
): Result<Trace, TraceFileError> {
  const { database, fileName } = opened;
  const importer = options.importers.find(({ recognises }) => recognises(database));
  if (importer === undefined) return unknownDatabase(database, fileName, options.importers);
  const imported = importer.importTrace(database, {
    fileName,
    progress: (progress) => options.progress(progress),
  });
  if (!opened.isUnchanged()) {
    const message = `“${fileName}” was written to while it was read: stop the recorder, then open it again.`;
    return fail('file-busy', message);
  }
  if (!imported.ok) return imported;
  const trace = limitTrace(imported.value);
  if (tableNames.every((table) => trace.tables[table].rows === 0)) {
    const message = `“${fileName}” is a trace by ${importer.format} without a single event: record again, for longer.`;
    return fail('file-no-events', message);
  }
  return ok(markPartial(trace, [...opened.notices, ...readKeptNotices(database)]));
}

/** How many table names are quoted to say what a strange database is. */
const SHOWN_TABLES = 5;

function unknownDatabase(
  database: DatabaseSync,
  fileName: string,
  importers: readonly Importer[],
): Result<never, TraceFileError> {
  const tables = database
    .prepare(
      `SELECT substr(name, 1, 41) AS name FROM sqlite_schema
       WHERE type = 'table' AND typeof(name) = 'text' ORDER BY name LIMIT ${SHOWN_TABLES + 1}`,
    )
    .all()
    .map(({ name }) => cleanText(String(name), 40));
  const formats = importers.map(({ format }) => format).join(' or ');
  const list =
    tables.slice(0, SHOWN_TABLES).join(', ') + (tables.length > SHOWN_TABLES ? ', …' : '');
  const found = tables.length === 0 ? 'It has no tables.' : `Its tables are ${list}.`;
  return fail(
    'file-unknown-database',
    `“${fileName}” is a database, but no trace that can be opened here. ${found} Choose a file by ${formats}.`,
  );
}
