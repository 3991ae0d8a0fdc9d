import type { DatabaseSync } from 'node:sqlite';
import type { Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { formatCount } from '../../../shared/text/units.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { columnNames } from '../../sqlite/read-table.ts';
import { readAggregates } from './aggregates.ts';
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
import { findBaseUnixNs } from './time-range.ts';

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
  const nodes = readNodes(database);
  const stackTable = readStacks(database);
  const read = readTimed(database, baseUnixNs, stackTable, nodes, context);
  if (isNothingLeft(read)) return nothingReadable(context.fileName, read.skipped.rows);
  const file = { ...read, sessions: readSessions(database), stacks: stackTable.build() };
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

type ReadTables = Pick<RecordedEvents, 'timed' | 'skipped'>;

/** Whether rows were left out, and no event or sum of events is there besides. */
function isNothingLeft({ timed, skipped }: ReadTables): boolean {
  return skipped.rows > 0 && timed.events.rows === 0 && timed.aggregates.length === 0;
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
  nodes: Nodes | undefined,
  context: ImportContext,
): ReadTables {
  context.progress({ text: 'Reading events…', fraction: 0 });
  const total = Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n ?? 0);
  const events = readEvents(database, baseUnixNs, stacks, nodes, (rows) =>
    context.progress({ text: 'Reading events…', fraction: Math.min(1, rows / total) }),
  );
  const aggregates = readAggregates(database, baseUnixNs, nodes);
  const snapshots = readSnapshots(database, baseUnixNs, nodes);
  const labels = readLabels(database, baseUnixNs, nodes);
  const rows = [events, aggregates, snapshots, labels].reduce(
    (sum, table) => sum + table.skipped,
    0,
  );
  return {
    timed: { events, aggregates: aggregates.rows, snapshots, labels },
    skipped: { rows, sums: aggregates.skipped },
  };
}
