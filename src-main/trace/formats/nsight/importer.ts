import type { DatabaseSync } from 'node:sqlite';
import type { Notice, Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { plural } from '../../../shared/text/units.ts';
import { linkDriverCalls } from '../../build/link-driver-calls.ts';
import { refuseNothingLeft } from '../../build/nothing-left.ts';
import { TraceBuilder } from '../../build/trace-builder.ts';
import { databaseImporter, type ImportContext } from '../../source/importer.ts';
import { catchingSqlite } from '../../sqlite/sqlite-failure.ts';
import { addCalls } from './calls.ts';
import { type Doubted, doubtsText, readDoubts } from './doubts.ts';
import { ExportTables } from './export-tables.ts';
import { addWork } from './gpu-work.ts';
import { GpuPlaces } from './gpus.ts';
import { tableFacts } from './notes.ts';
import { addRanges } from './ranges.ts';
import { addSamples } from './samples.ts';
import { readSession } from './session.ts';
import { ExportStrings } from './strings.ts';
import { addSwitches } from './switches.ts';
import { ExportSyncs } from './syncs.ts';
import { ExportTasks } from './tasks.ts';

/** One of these is in every export; of the others each is only there where it has rows. */
const OWN_TABLES = [
  'TARGET_INFO_SESSION_START_TIME',
  'META_DATA_EXPORT',
  'EXPORT_META_DATA',
  'CUPTI_ACTIVITY_KIND_RUNTIME',
  'NVTX_EVENTS',
  'OSRT_API',
];

/** Reads what `nsys export --type sqlite` writes, of schema 2.9 until now. */
export const nsightImporter = databaseImporter({
  format: 'Nsight Systems',
  recognises(database) {
    const tables = new ExportTables(database);
    return tables.has('StringIds') && OWN_TABLES.some((table) => tables.has(table));
  },
  importTrace: (database, context) =>
    catchingSqlite(context.fileName, () => importTrace(database, context)),
});

type Filled = { readonly count: number; readonly columns: { readonly startNs: Starts } };
interface Starts {
  [row: number]: number;
}

function importTrace(
  database: DatabaseSync,
  context: ImportContext,
): Result<Trace, TraceFileError> {
  let progress = { fraction: 0, text: 'Reading names' };
  const step = (fraction: number, text: string) => {
    progress = { fraction, text };
    context.progress(progress);
  };
  const tables = new ExportTables(database, { onPage: () => context.progress(progress) });
  try {
    return readExport(tables, context, step);
  } finally {
    // Nobody waits for the end of what read beside this thread: it holds nothing that is needed.
    void tables.end();
  }
}

function readExport(
  tables: ExportTables,
  context: ImportContext,
  step: (fraction: number, text: string) => void,
): Result<Trace, TraceFileError> {
  const trace = new TraceBuilder();
  const strings = new ExportStrings(tables);
  const tasks = new ExportTasks(tables, strings, trace);
  const { host, driver, beginUnixNs, version } = readSession(tables);
  const gpus = new GpuPlaces(tables, trace, driver);
  trace.hosts.add(host);
  step(0.1, 'Reading CUDA calls');
  const syncs = new ExportSyncs(tables);
  const calls = addCalls(tables, strings, tasks, syncs, trace);
  step(0.4, 'Reading GPU work');
  const work = addWork(tables, strings, tasks, gpus, trace);
  gpus.addIdle();
  step(0.6, 'Reading ranges');
  const ranges = addRanges(tables, strings, tasks, syncs, trace);
  step(0.8, 'Reading switches and samples');
  const switches = addSwitches(tables, tasks, trace);
  const samples = addSamples(tables, strings, tasks, trace);
  const all = [calls.rows, work.rows, ranges.rows, switches.on, switches.off, samples.rows];
  const skipped = [calls, work, ranges, switches, samples].reduce(
    (sum, one) => sum + one.skipped,
    0,
  );
  const kept = all.reduce((sum, { count }) => sum + count, 0);
  const refused = refuseNothingLeft(context.fileName, { kept, skipped }, { kept: 0, skipped: 0 });
  if (refused !== undefined) return refused;
  if (kept === 0)
    return fail(
      'file-no-events',
      `“${context.fileName}” has no event that Stalltrace reads: record again with nsys profile --trace=cuda,nvtx,osrt, and export that.`,
    );
  const firstNs = begin(all);
  endOpenRanges(ranges, all);
  const rows = trace.finishRows();
  linkDriverCalls(rows.columns('cuda_call'));
  const doubts = readDoubts(tables);
  return ok(
    trace.build({
      meta: {
        format: 'Nsight Systems',
        version,
        beginUnixNs: BigInt(Math.round(beginUnixNs)) + BigInt(firstNs),
        lengthNs: rows.endNs,
      },
      tables: tableFacts(rows, doubts),
      notices: noticesOf(skipped, doubts),
    }),
  );
}

function noticesOf(skipped: number, doubts: ReadonlySet<Doubted>): Notice[] {
  const leftOut = `${plural(skipped, 'row of the file was', 'rows of the file were')} left out: their times or types are impossible.`;
  const texts = [...(skipped === 0 ? [] : [leftOut]), doubtsText(doubts)];
  return texts.filter((text) => text !== '').map((text) => ({ level: 'warning', text }));
}

/** Moves all rows so that the earliest is at 0; when that was, ns from the session's start. */
function begin(all: readonly Filled[]): number {
  let firstNs = Infinity;
  for (const { count, columns } of all) {
    // Looked up once: there are millions of rows.
    const { startNs } = columns;
    for (let row = 0; row < count; row++) if (startNs[row] < firstNs) firstNs = startNs[row];
  }
  for (const { count, columns } of all) {
    const { startNs } = columns;
    for (let row = 0; row < count; row++) startNs[row] -= firstNs;
  }
  return firstNs;
}

type Spans = Filled & { readonly columns: { readonly durationNs?: Starts } };

/** A range that was still open when the recording ended lasts until then. */
function endOpenRanges({ rows, open }: ReturnType<typeof addRanges>, all: readonly Spans[]): void {
  if (open.length === 0) return;
  const endNs = Math.max(0, ...all.map(lastEndOf));
  for (const row of open) rows.columns.durationNs[row] = endNs - rows.columns.startNs[row];
}

function lastEndOf({ count, columns: { startNs, durationNs } }: Spans): number {
  let endNs = 0;
  for (let row = 0; row < count; row++)
    endNs = Math.max(endNs, startNs[row] + (durationNs?.[row] ?? 0));
  return endNs;
}
