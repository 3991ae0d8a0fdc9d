import type { DatabaseSync } from 'node:sqlite';
import { allocateColumns, type Columns } from '../../../shared/model/columns.ts';
import { type TableName, tableNames } from '../../../shared/model/schema.ts';
import type { Table, Tables, Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { NameBuilder } from '../../build/names.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { catchingSqlite } from '../../sqlite/sqlite-failure.ts';
import type { Dangling, IdMaps } from './cell-readers.ts';
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
import { readProvenance, type TableNotes } from './read-provenance.ts';
import { countRows, type ReadTable, readTable } from './read-rows.ts';
import { readStacks } from './read-stacks.ts';
import { readNames } from './read-texts.ts';
import { resolveRows } from './resolve-rows.ts';
import { APPLICATION_ID, isTableOfRows, rowIdColumns } from './schema.ts';

type Notes = Readonly<Record<TableName, TableNotes>>;
type ReadTables = Partial<Record<TableName, ReadTable>>;

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

function readEvents(
  database: DatabaseSync,
  schema: FileSchema,
  notes: Notes,
  maps: IdMaps,
  dangling: Dangling,
  context: ImportContext,
): ReadTables {
  const tables: ReadTables = {};
  const present = tableNames.filter(
    (table) => schema.tables.has(table) && notes[table].provenance.kind !== 'absent',
  );
  const sqlNames = present.map((table) => schema.tables.get(table)?.sqlName ?? table);
  const counts = sqlNames.map((sqlName) => countRows(database, sqlName));
  const total = counts.reduce((sum, rows) => sum + rows, 0);
  let done = 0;
  present.forEach((table, index) => {
    const columns = presentColumns(schema, table).filter(
      ({ spec, name }) =>
        spec.required === true || notes[table].columnProvenance[name]?.kind !== 'absent',
    );
    const rowIds = isTableOfRows(table) ? rowIdColumns[table].sqlName : '';
    const onRows = (rows: number) => {
      done += rows;
      context.progress({ fraction: Math.min(1, done / total), text: `Reading ${table}` });
    };
    const source = {
      table,
      sqlName: sqlNames[index] ?? table,
      columns,
      total: counts[index] ?? 0,
      ...(schema.tables.get(table)?.columns.has(rowIds) === true && { rowIdColumn: rowIds }),
    };
    tables[table] = readTable(database, source, maps, dangling, onRows);
  });
  resolveRows(tables, dangling);
  return tables;
}

function buildTables(read: ReadTables, notes: Notes): Tables {
  const entries = tableNames.map((table): [TableName, Table<TableName>] => {
    const columns = read[table]?.columns ?? allocateColumns(table, 0);
    return [
      table,
      {
        rows: read[table]?.rows ?? 0,
        columns: columns as unknown as Columns<TableName>,
        ...notes[table],
      },
    ];
  });
  return Object.fromEntries(entries) as unknown as Tables;
}

function readTrace(database: DatabaseSync, context: ImportContext): Result<Trace, TraceFileError> {
  const version = pragma(database, 'user_version');
  const schema = readFileSchema(database, version);
  const facts = readMetaFacts(database, schema);
  const readerNeeds = metaCount(facts, 'reader_needs') ?? 0;
  const readable = checkReadable(schema, readerNeeds, context.fileName);
  if (!readable.ok) return readable;

  const hosts = readHosts(database, schema);
  const hostOf = hostReader(hosts);
  const jobs = readJobs(database, schema);
  const processes = readProcesses(database, schema, hostOf, jobs.ids);
  const threads = readThreads(database, schema, processes);
  const names = new NameBuilder();
  const named = readNames(database, schema, names);
  const dangling: Dangling = { count: 0 };
  const { stacks, places } = readStacks(database, schema, dangling);
  const cpus = readCpus(database, schema, hostOf);
  const gpus = readGpus(database, schema, hostOf);
  const clocks = readClocks(database, schema, hostOf);
  const contexts = readContexts(database, schema, processes.ids, gpus.ids);
  const streams = readStreams(database, schema, contexts.ids);
  const notes = readProvenance(database, schema);
  const maps = {
    process: processes.ids,
    thread: threads.ids,
    context: contexts.ids,
    stream: streams.ids,
    stack: places,
    gpu: gpus.ids,
    name: named.ids,
    names,
  };
  const read = readEvents(database, schema, notes, maps, dangling, context);
  const tables = Object.values(read);
  if (tables.every(({ rows }) => rows === 0))
    return fail(
      'file-no-events',
      `${context.fileName} has no events: the recording ended before anything happened.`,
    );

  const lengthNs = tables.reduce((latest, { endNs }) => Math.max(latest, endNs), 0);
  const entities = [hosts, clocks, cpus, gpus, jobs, processes, threads, contexts, streams];
  const skippedEntities = [...entities, named, places].reduce(
    (sum, { skipped }) => sum + skipped,
    0,
  );
  return ok({
    meta: buildMeta(facts, version, lengthNs),
    hosts: hosts.values,
    cpus: cpus.values,
    gpus: gpus.values,
    clocks: clocks.values,
    jobs: jobs.values,
    processes: processes.values,
    threads: threads.values,
    names: names.texts,
    nameSources: names.sources,
    contexts: contexts.values,
    streams: streams.values,
    stacks,
    tables: buildTables(read, notes),
    sourceFindings: readSourceFindings(database, schema),
    capabilities: readCapabilities(database, schema),
    notices: [
      ...readNotices(database, schema),
      ...importNotices({ facts, version, read, skippedEntities, dangling: dangling.count }),
    ],
  });
}

/** Reads Stalltrace's own files, of this version and, as far as it knows them, of later ones. */
export const stalltraceImporter = databaseImporter({
  format: 'Stalltrace',
  recognises,
  importTrace: (database, context) =>
    catchingSqlite(context.fileName, () => readTrace(database, context)),
});
