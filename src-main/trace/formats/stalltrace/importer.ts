import type { DatabaseSync } from 'node:sqlite';
import { type TableName, tableNames } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { refuseNothingLeft, standsBeside } from '../../build/nothing-left.ts';
import { type FinishedRows, TraceBuilder } from '../../build/trace-builder.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { countRows } from '../../sqlite/count-rows.ts';
import { LARGE_ROWS, ReadingThreads } from '../../sqlite/read-together.ts';
import { catchingSqlite } from '../../sqlite/sqlite-failure.ts';
import type { Dangling, IdMaps } from './column-readers.ts';
import { checkReadable, type FileSchema, presentColumns, readFileSchema } from './file-schema.ts';
import { importNotices } from './import-notices.ts';
import { hostReader, readProcesses, readThreads } from './read-entities.ts';
import {
  readClocks,
  readContexts,
  readCpus,
  readGpus,
  readHosts,
  readJobs,
  readStreams,
} from './read-hardware.ts';
import { buildMeta, metaCount, readMetaFacts } from './read-meta.ts';
import { readCapabilities, readNotices, readSourceFindings } from './read-notes.ts';
import { type FileNotes, readProvenance } from './read-provenance.ts';
import { readTable, type TableSource } from './read-rows.ts';
import { readStacks } from './read-stacks.ts';
import { readNames } from './read-texts.ts';
import { createReadingProgress } from './reading-progress.ts';
import { APPLICATION_ID, isTableOfRows, rowIdColumns } from './schema.ts';

type Notes = Readonly<Record<TableName, FileNotes>>;

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

function recognises(database: DatabaseSync): boolean {
  try {
    return pragma(database, 'application_id') === APPLICATION_ID;
  } catch {
    return false;
  }
}

/** Gives `trace` the rows of the file; how many of each table could not be used. `look`: what it has until then. */
function readEvents(
  database: DatabaseSync,
  schema: FileSchema,
  notes: Notes,
  trace: TraceBuilder,
  ids: IdMaps,
  dangling: Dangling,
  context: ImportContext,
  look: () => Trace,
): Partial<Record<TableName, number>> {
  const found = tableNames
    .filter((table) => schema.tables.has(table) && notes[table].provenance.kind !== 'absent')
    .map((table) => sourceOf(schema, table, notes[table]));
  const totals = countRows(database, found);
  const sources = found.map((source, at): TableSource => ({ ...source, total: totals[at] }));
  const progress = createReadingProgress(sources, context, look);
  const skipped: Partial<Record<TableName, number>> = {};
  const isLarge = sources.some((source) => source.total >= LARGE_ROWS);
  const threads = isLarge ? new ReadingThreads(database) : undefined;
  try {
    for (const source of sources) {
      const onRows = (rows: number) => progress.onRows(source, rows);
      skipped[source.table] = readTable(database, source, trace, ids, dangling, onRows, threads);
      progress.onWhole(source);
    }
  } finally {
    // Nobody waits for their end: they hold nothing that is needed.
    void threads?.end();
  }
  return skipped;
}

function sourceOf(
  schema: FileSchema,
  table: TableName,
  { columnProvenance }: FileNotes,
): Omit<TableSource, 'total'> & { readonly width: number } {
  const { sqlName = table, columns = new Set() } = schema.tables.get(table) ?? {};
  const rowIds = isTableOfRows(table) ? rowIdColumns[table].sqlName : '';
  return {
    table,
    sqlName,
    columns: presentColumns(schema, table).filter(
      ({ spec, name }) => spec.required === true || columnProvenance[name]?.kind !== 'absent',
    ),
    width: columns.size,
    ...(columns.has(rowIds) && { rowIdColumn: rowIds }),
  };
}

/** Gives `trace` all that rows refer to; how many rows of those tables could not be used. */
function readEntities(database: DatabaseSync, schema: FileSchema, trace: TraceBuilder): number {
  const hosts = readHosts(database, schema, trace);
  const hostOf = hostReader(trace.hosts);
  return (
    hosts +
    readJobs(database, schema, trace) +
    readProcesses(database, schema, trace, hostOf) +
    readThreads(database, schema, trace) +
    readCpus(database, schema, trace, hostOf) +
    readGpus(database, schema, trace, hostOf) +
    readClocks(database, schema, trace, hostOf) +
    readContexts(database, schema, trace) +
    readStreams(database, schema, trace)
  );
}

function readTrace(database: DatabaseSync, context: ImportContext): Result<Trace, TraceFileError> {
  const version = pragma(database, 'user_version');
  const schema = readFileSchema(database, version);
  const facts = readMetaFacts(database, schema);
  const readerNeeds = metaCount(facts, 'reader_needs') ?? 0;
  const readable = checkReadable(schema, readerNeeds, context.fileName);
  if (!readable.ok) return readable;

  const trace = new TraceBuilder();
  const entities = readEntities(database, schema, trace);
  const names = readNames(database, schema, trace.names);
  const dangling: Dangling = { count: 0 };
  const stack = readStacks(database, schema, trace.stacks, dangling);
  const notes = readProvenance(database, schema, facts.get('recorder'));
  const { hosts, processes, threads, contexts, streams, gpus } = trace;
  const ids: IdMaps = {
    host: hosts.ids,
    process: processes.ids,
    thread: threads.ids,
    context: contexts.ids,
    stream: streams.ids,
    gpu: gpus.ids,
    stack,
    name: names.ids,
    names: trace.names,
  };
  const look = () =>
    trace.soFar({
      meta: buildMeta(facts, version, { endNs: 0, eventsEndNs: 0 }),
      tables: { notes },
    });
  const skippedRows = readEvents(database, schema, notes, trace, ids, dangling, context, look);
  const rows = trace.finishRows();
  const empty = refuseEmpty(rows, skippedRows, context.fileName);
  if (empty !== undefined) return empty;

  const skippedEntities = entities + names.skipped + stack.skipped;
  const danglingAll = dangling.count + rows.dangling;
  return ok(
    trace.build({
      meta: buildMeta(facts, version, rows),
      tables: { notes },
      sourceFindings: readSourceFindings(database, schema),
      capabilities: readCapabilities(database, schema),
      notices: [
        ...readNotices(database, schema),
        ...importNotices({ facts, version, skippedRows, skippedEntities, dangling: danglingAll }),
      ],
    }),
  );
}

/** The failure for a file without a single row, or without one that says what happened. */
function refuseEmpty(
  rows: FinishedRows,
  skipped: Partial<Record<TableName, number>>,
  fileName: string,
): Result<never, TraceFileError> | undefined {
  const counts = [false, true].map((isBeside) => {
    const tables = tableNames.filter((table) => standsBeside(table) === isBeside);
    const kept = tables.reduce((sum, table) => sum + rows.count(table), 0);
    return { kept, skipped: tables.reduce((sum, table) => sum + (skipped[table] ?? 0), 0) };
  });
  const [told, beside] = counts;
  const refused = refuseNothingLeft(fileName, told, beside);
  if (refused !== undefined || told.kept + beside.kept > 0) return refused;
  return fail(
    'file-no-events',
    `“${fileName}” has no events, as the recording ended before anything happened: record again, for longer.`,
  );
}

/** Reads Stalltrace's own files, of this version and, as far as it knows them, of later ones. */
export const stalltraceImporter = databaseImporter({
  format: 'Stalltrace',
  recognises,
  importTrace: (database, context) =>
    catchingSqlite(context.fileName, () => readTrace(database, context)),
});
