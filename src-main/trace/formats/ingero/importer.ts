import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import type { Notice, Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { NameBuilder } from '../../build/names.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { columnNames } from '../../sqlite/read-table.ts';
import { buildAggregates, summariesOf } from './aggregate-table.ts';
import { type RawAggregates, readAggregates } from './aggregates.ts';
import { rowsByTable } from './classify.ts';
import { type Completeness, measureCompleteness } from './completeness.ts';
import { buildCudaCalls, StreamTable } from './cuda-calls.ts';
import { buildEntities, type Entities } from './entities.ts';
import { readFindings } from './findings.ts';
import {
  buildBlockIo,
  buildOffCpu,
  buildPageAllocs,
  buildProcessEvents,
  buildSyscalls,
  buildWakeups,
} from './host-events.ts';
import { type OpNames, readOpNames } from './op-names.ts';
import { buildRanges, readLabels } from './ranges.ts';
import { readEvents, requiredEventColumns } from './raw-events.ts';
import { readSchemaVersion, readSessions, readTaskNames, type Session } from './session.ts';
import { buildSamples, readSnapshots, snapshotIntervals } from './snapshots.ts';
import { readStacks, type StackTable } from './stacks.ts';
import { assembleTables, type FilledTables } from './tables.ts';
import { findBaseUnixNs, moveToBegin, type Timed } from './time-range.ts';

/** Reads the databases of Ingero 0.8 to 0.17, by table and column names, never by version. */
export const ingeroImporter = databaseImporter({
  format: 'Ingero',
  recognises,
  importTrace,
});

/** Tables of which an Ingero file has at least one beside `events`, in any version. */
const companions = ['stack_traces', 'causal_chains', 'schema_info', 'event_aggregates', 'sources'];

function recognises(database: DatabaseSync): boolean {
  const names = database
    .prepare(
      "SELECT lower(substr(name, 1, 64)) AS name FROM sqlite_schema WHERE type IN ('table', 'view')",
    )
    .all()
    .map(({ name }) => name);
  if (!names.includes('events') || !companions.some((name) => names.includes(name))) return false;
  try {
    const columns = columnNames(database, 'events');
    return requiredEventColumns.every((column) => columns.has(column));
  } catch {
    // `events` is no plain table: ours by its name, and importing says what is wrong with it.
    return true;
  }
}

function importTrace(
  database: DatabaseSync,
  context: ImportContext,
): Result<Trace, TraceFileError> {
  const baseUnixNs = findBaseUnixNs(database);
  if (baseUnixNs === undefined) {
    const message = `“${context.fileName}” has no events: Ingero was stopped before it stored any. Record again.`;
    return fail('file-no-events', message);
  }
  const names = new NameBuilder();
  const ops = readOpNames(database, names);
  const stackTable = readStacks(database);
  const timed = readTimed(database, baseUnixNs, stackTable, context);
  if (isNothingLeft(timed)) return nothingReadable(context.fileName, timed.skipped);
  const stacks = stackTable.build();
  const sessions = readSessions(database);
  const range = moveToBegin(timed.value, baseUnixNs, sessions);
  context.progress({ text: 'Arranging events…' });
  const taskNames = readTaskNames(database);
  const { events, aggregates, snapshots } = timed.value;
  const entities = buildEntities(events, aggregates, (id) => taskNames.get(id));
  const streams = new StreamTable();
  const filled = fillTables(timed.value, names, ops, entities, streams, stacks.length > 0);
  const completeness = measureCompleteness(events, timed.aggregates, ops);
  const recorder = sessions.at(-1)?.recorder;
  return ok({
    meta: {
      format: 'Ingero',
      version: readSchemaVersion(database),
      ...(recorder === undefined ? {} : { recorder: `Ingero ${recorder}` }),
      ...range,
    },
    hosts: [sessions.at(-1)?.host ?? {}],
    cpus: [],
    gpus: sessions.at(-1)?.gpus ?? [],
    clocks: [],
    jobs: [],
    contexts: [],
    processes: entities.processes,
    threads: entities.threads,
    tables: assembleTables(filled, ops, completeness, snapshotIntervals(snapshots)),
    names: names.texts,
    nameSources: names.sources,
    streams: streams.streams.map((name) => ({ name, context: NONE })),
    stacks,
    capabilities: [],
    sourceFindings: readFindings(database, range.beginUnixNs),
    notices: noticesOf(timed.skipped, sessions, completeness),
  });
}

interface ReadTables {
  readonly value: Timed;
  readonly aggregates: RawAggregates;
  /** Rows that make no sense. */
  readonly skipped: number;
}

/** Whether rows were left out, and no event or sum of events is there besides. */
function isNothingLeft({ value, aggregates, skipped }: ReadTables): boolean {
  return skipped > 0 && value.events.rows === 0 && aggregates.rows.length === 0;
}

function nothingReadable(fileName: string, skipped: number): Result<never, TraceFileError> {
  const all = skipped === 1 ? 'The only row' : `All ${formatCount(skipped)} rows`;
  const message = `${all} of “${fileName}” that Stalltrace would read make no sense: their times, numbers or types are impossible. The file is damaged, or not what it says it is. Copy it again from where it was recorded.`;
  return fail('file-damaged', message);
}

function readTimed(
  database: DatabaseSync,
  baseUnixNs: bigint,
  stacks: StackTable,
  context: ImportContext,
): ReadTables {
  context.progress({ text: 'Reading events…', fraction: 0 });
  const total = Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n ?? 0);
  const events = readEvents(database, baseUnixNs, stacks, (rows) =>
    context.progress({ text: 'Reading events…', fraction: Math.min(1, rows / total) }),
  );
  const aggregates = readAggregates(database, baseUnixNs);
  const snapshots = readSnapshots(database, baseUnixNs);
  const labels = readLabels(database, baseUnixNs);
  const skipped = [events, aggregates, snapshots, labels].reduce(
    (sum, table) => sum + table.skipped,
    0,
  );
  return { value: { events, aggregates: aggregates.rows, snapshots, labels }, aggregates, skipped };
}

function fillTables(
  timed: Timed,
  names: NameBuilder,
  ops: OpNames,
  entities: Entities,
  streams: StreamTable,
  hasStacks: boolean,
): FilledTables {
  const { events, aggregates, snapshots, labels } = timed;
  const rows = rowsByTable(events, ops);
  const sums = [...aggregates, ...summariesOf(events, rows.aggregate)];
  return {
    cuda_call: buildCudaCalls(events, rows.cuda_call, ops, entities, streams, hasStacks),
    off_cpu: buildOffCpu(events, rows.off_cpu, entities),
    wakeup: buildWakeups(events, rows.wakeup, entities),
    page_alloc: buildPageAllocs(events, rows.page_alloc, entities),
    block_io: buildBlockIo(events, rows.block_io, ops, entities),
    syscall: buildSyscalls(events, rows.syscall, ops, entities),
    process_event: buildProcessEvents(events, rows.process_event, ops, entities),
    range: buildRanges(events, rows.range, labels, names, ops, entities),
    sample: buildSamples(snapshots, names),
    aggregate: buildAggregates(sums, names, ops, entities),
  };
}

function noticesOf(
  skipped: number,
  sessions: readonly Session[],
  completeness: Completeness,
): Notice[] {
  const notices: Notice[] = [];
  if (skipped > 0)
    notices.push({
      level: 'warning',
      text: `${plural(skipped, 'row was', 'rows were')} left out: their times, numbers or types make no sense.`,
    });
  if (sessions.length > 1)
    notices.push({
      level: 'info',
      text: `The file holds ${formatCount(sessions.length)} recordings; the machine shown is that of the last one.`,
    });
  const calls = completeness.of('cuda_call');
  const switches = completeness.of('off_cpu');
  if (calls.happened > calls.stored || switches.happened > switches.stored)
    notices.push({
      level: 'info',
      text: `Ingero stored ${formatCount(calls.stored)} of ${formatCount(calls.happened)} CUDA calls and ${formatCount(switches.stored)} of ${formatCount(switches.happened)} switches; the rest is known as sums only.`,
    });
  return notices;
}
