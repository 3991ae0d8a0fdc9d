import type { DatabaseSync } from 'node:sqlite';
import type { Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { type RowCounts, refuseNothingLeft } from '../../build/nothing-left.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { columnNames } from '../../sqlite/read-table.ts';
import { type RawAggregates, readAggregates } from './aggregates.ts';
import { readFindings } from './findings.ts';
import { buildMachineTrace, type RecordedEvents } from './machine-trace.ts';
import { type Nodes, readNodes } from './nodes.ts';
import { readLabels } from './ranges.ts';
import { readRanks } from './ranks.ts';
import { readEvents, requiredEventColumns } from './raw-events.ts';
import { readSessions } from './session.ts';
import { ofSeveralMachines } from './several-machines.ts';
import { readSnapshots } from './snapshots.ts';
import { readStacks, type StackTable } from './stacks.ts';
import { readTaskNames } from './task-names.ts';
import { countTimedRows, findBaseUnixNs, type Timed } from './time-range.ts';

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
  if (baseUnixNs === undefined) return withoutTimes(database, context.fileName);
  const nodes = readNodes(database);
  const stackTable = readStacks(database);
  const read = readTables(database, baseUnixNs, stackTable, nodes, context);
  const [told, beside] = countsOf(read);
  const refused = refuseNothingLeft(context.fileName, told, beside);
  if (refused !== undefined) return refused;
  const { aggregates, ...others } = read;
  const file = {
    timed: { ...others, aggregates: aggregates.rows },
    skipped: { rows: told.skipped + beside.skipped, sums: aggregates.skipped },
    sessions: readSessions(database),
    stacks: stackTable.build(),
  };
  context.progress({ text: 'Arranging events…' });
  const trace =
    nodes === undefined ? ofOneMachine(database, file) : ofSeveralMachines(database, file, nodes);
  return ok({ ...trace, sourceFindings: readFindings(database, trace.meta.beginUnixNs) });
}

function ofOneMachine(database: DatabaseSync, file: RecordedEvents): Trace {
  const names = readTaskNames(database, undefined, () => 0).of(0);
  const ranks = readRanks(database, undefined)(0);
  return buildMachineTrace(database, {
    ...file,
    nameOf: (id) => names.get(id),
    rankOf: (pid) => ranks.get(pid),
  });
}

interface ReadTables extends Omit<Timed, 'aggregates'> {
  readonly aggregates: RawAggregates;
}

/** How many rows say what happened, and how many stand beside that. */
function countsOf({ events, aggregates, labels, snapshots }: ReadTables): [RowCounts, RowCounts] {
  const sets = [aggregates, labels];
  const told = {
    kept: sets.reduce((sum, { rows }) => sum + rows.length, events.rows),
    skipped: sets.reduce((sum, { skipped }) => sum + skipped, events.skipped),
  };
  return [told, { kept: snapshots.rows.length, skipped: snapshots.skipped }];
}

/** Of a file in which nothing has a time: it is empty, or not one time is a number. */
function withoutTimes(database: DatabaseSync, fileName: string): Result<never, TraceFileError> {
  const [told, beside] = countTimedRows(database);
  const refused = refuseNothingLeft(fileName, told, beside);
  const message = `“${fileName}” has no events: Ingero was stopped before it stored any. Record again.`;
  return refused ?? fail('file-no-events', message);
}

function readTables(
  database: DatabaseSync,
  baseUnixNs: bigint,
  stacks: StackTable,
  nodes: Nodes | undefined,
  context: ImportContext,
): ReadTables {
  context.progress({ text: 'Reading events…', fraction: 0 });
  const total = Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n ?? 0);
  const events = readEvents(database, baseUnixNs, stacks, nodes, (rows) =>
    context.progress({ text: 'Reading events…', fraction: Math.min(1, rows / total) }),
  );
  return {
    events,
    aggregates: readAggregates(database, baseUnixNs, nodes),
    snapshots: readSnapshots(database, baseUnixNs, nodes),
    labels: readLabels(database, baseUnixNs, nodes),
  };
}
