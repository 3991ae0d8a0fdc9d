import type { Api } from '../../../src-main/contract/api.ts';
import type { TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import type { ColumnName } from '../../../src-main/shared/model/columns.ts';
import { columnSpecs, type TableName, tableNames } from '../../../src-main/shared/model/schema.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { LoadedTables } from '../../../src-main/timeline/model/trace-data.ts';

/**
 * Columns by which every row is drawn, found and counted, where that is less than all: bulk is memory. The rest of a row is
 * asked for when it is looked at (row-lookup.svelte.ts).
 */
const wantedColumns: { readonly [T in TableName]?: readonly ColumnName<T>[] } = {
  cuda_call: ['startNs', 'durationNs', 'thread', 'op', 'parent'],
  gpu_work: [
    ...(['startNs', 'durationNs', 'op', 'gpu', 'stream'] as const),
    ...(['direction', 'call', 'kind', 'process'] as const),
  ],
  off_cpu: ['startNs', 'durationNs', 'thread', 'state', 'runQueueNs', 'ioWait'],
  page_fault: ['startNs', 'durationNs', 'thread', 'major'],
  page_alloc: ['startNs', 'thread'],
  block_io: ['startNs', 'durationNs', 'thread', 'op', 'bytes'],
  syscall: ['startNs', 'durationNs', 'thread', 'op'],
  cpu_sample: ['startNs', 'thread'],
  range: ['startNs', 'durationNs', 'thread', 'op'],
};

/** No screen shows its rows: what they tell is in the answers of the analysis. */
const unshown: readonly TableName[] = ['wakeup'];

/** Whether rows of `table` hold more than the page has of them. */
export function isLoadedInPart(table: TableName): boolean {
  return wantedColumns[table] !== undefined;
}

/** The tables with rows, in the order they are fetched: CUDA calls first, so that they paint early. */
export function tablesToLoad(summary: TraceSummary): TableName[] {
  const first: readonly TableName[] = ['cuda_call', 'off_cpu'];
  const rest = tableNames.filter((table) => ![...first, ...unshown].includes(table));
  return [...first, ...rest].filter((table) => (summary.tables[table]?.rows ?? 0) > 0);
}

/** The columns to fetch of `table`: those the screens read and this trace has. */
function columnsToLoad<T extends TableName>(table: T, summary: TraceSummary): ColumnName<T>[] {
  const all = columnSpecs(table).map(([name]) => name as ColumnName<T>);
  const wanted: readonly ColumnName<T>[] = wantedColumns[table] ?? all;
  return wanted.filter((column) => summary.tables[table].columns.includes(column));
}

/** Fetches table by table, all that have rows unless `tables` are named, and hands each on as it arrives. Stops at the first failure. */
export async function loadTables(
  api: Api,
  traceId: string,
  summary: TraceSummary,
  signal: AbortSignal,
  onTable: (tables: LoadedTables) => void,
  tables = tablesToLoad(summary),
): Promise<Failure | undefined> {
  for (const table of tables) {
    const columns = columnsToLoad(table, summary);
    const fetched = await api.fetchColumns(traceId, table, columns, signal);
    if (signal.aborted) return undefined;
    if (!fetched.ok) return fetched.error;
    onTable({ [table]: fetched.value });
  }
  return undefined;
}
