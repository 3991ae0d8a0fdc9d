import type { DatabaseSync } from 'node:sqlite';
import { tableNames } from '../shared/model/schema.ts';
import type { Trace } from '../shared/model/trace.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { Progress } from '../shared/rpc/rpc.ts';
import type { TraceFileError } from '../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../shared/text/text.ts';
import { fillHostMemory } from './build/fill-host-memory.ts';
import { fillSubmissions } from './build/fill-submissions.ts';
import { joinSubmissions } from './build/join-submissions.ts';
import { limitTrace } from './build/limit-trace.ts';
import { markPartial } from './build/mark-partial.ts';
import { narrowColumns } from './build/narrow-columns.ts';
import { readKeptNotices } from './files/kept-notices.ts';
import { refuseContent, refuseDatabase } from './recognised/refuse.ts';
import type { Importer, ReadSoFar } from './source/importer.ts';
import { type OpenSource, openSource } from './source/trace-source.ts';
import { catchingSqlite } from './sqlite/sqlite-failure.ts';

export interface OpenTraceOptions {
  /** Where private copies may be made; created where missing. */
  readonly scratchDir: string;
  /** The formats to try, in order. */
  readonly importers: readonly Importer[];
  /** What the user calls the file, where it lies under another name: messages do so too. */
  readonly fileName?: string | undefined;
  progress(progress: Progress): void;
  /** A look at what was read so far of a file that has not changed meanwhile; see ImportContext. */
  soFar?(read: ReadSoFar): void;
}

/**
 * Reads the trace file at `path`, of whatever format, into columns. The file and its folder stay
 * untouched. Blocks until done: it belongs in a process of its own. A packed one is for open-file.ts.
 */
export function openTrace(path: string, options: OpenTraceOptions): Result<Trace, TraceFileError> {
  const opened = openSource(path, options.scratchDir, options.fileName);
  if (!opened.ok) return opened;
  try {
    return catchingSqlite(opened.value.fileName, () => importFrom(opened.value, options));
  } finally {
    opened.value.close();
  }
}

function importFrom(source: OpenSource, options: OpenTraceOptions): Result<Trace, TraceFileError> {
  const { database, fileName, head } = source;
  const importer = options.importers.find((each) => each.recognises(source));
  if (importer === undefined) {
    return database === undefined
      ? refuseContent(head, fileName)
      : unknownDatabase(database, fileName, options.importers);
  }
  const imported = importer.importTrace(source, {
    fileName,
    progress: (progress) => options.progress(progress),
    soFar(read) {
      if (options.soFar !== undefined && source.isUnchanged()) options.soFar(read);
    },
  });
  if (!source.isUnchanged()) {
    const message = `“${fileName}” was written to while it was read: stop the recorder, then open it again.`;
    return fail('file-busy', message);
  }
  if (!imported.ok) return imported;
  const trace = narrowColumns(
    limitTrace(fillHostMemory(fillSubmissions(joinSubmissions(imported.value)))),
  );
  if (tableNames.every((table) => trace.tables[table].rows === 0)) {
    const message = `“${fileName}” is a trace by ${importer.format} without a single event: record again, for longer.`;
    return fail('file-no-events', message);
  }
  const kept = database === undefined ? [] : readKeptNotices(database);
  return ok(markPartial(trace, [...source.notices, ...kept]));
}

/** How many table names are quoted to say what a strange database is. */
const SHOWN_TABLES = 5;
/** And how many are looked at; an export of Nsight Systems has 150. */
const MAX_TABLES = 1000;

function unknownDatabase(
  database: DatabaseSync,
  fileName: string,
  importers: readonly Importer[],
): Result<never, TraceFileError> {
  const names = database
    .prepare(
      `SELECT substr(name, 1, 100) AS name FROM sqlite_schema
       WHERE type = 'table' AND typeof(name) = 'text' ORDER BY name LIMIT ${MAX_TABLES}`,
    )
    .all()
    .map(({ name }) => String(name));
  const known = refuseDatabase(new Set(names.map((name) => name.toLowerCase())), fileName);
  if (known !== undefined) return known;
  const tables = names.map((name) => cleanText(name, 40));
  const formats = importers
    .map(({ format }) => format)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
  const list =
    tables.slice(0, SHOWN_TABLES).join(', ') + (tables.length > SHOWN_TABLES ? ', …' : '');
  const found = tables.length === 0 ? 'It has no tables.' : `Its tables are ${list}.`;
  return fail(
    'file-unknown-database',
    `“${fileName}” is a database, but no trace that can be opened here. ${found} Choose a file by ${formats}.`,
  );
}
