import type { NameArray } from '../../../src-main/shared/model/columns.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { tableWords } from '../../../src-main/shared/words/table-words.ts';
import { colourOfTaskState } from '../../../src-main/timeline/build/thread-segments.ts';
import { stateSwatchOf } from '../../../src-main/timeline/model/colours.ts';
import { eventColumns, remember } from '../../../src-main/timeline/model/event-source.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { shortWorkName } from './gpu-work-facts.ts';

/** What happened to the thread of the row, where that says more than what the row is. */
const rowNames: Readonly<Partial<Record<TableName, string>>> = {
  gpu_work: 'GPU work',
  off_cpu: 'off the CPU',
  on_cpu: 'ran',
};

interface LineColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: Float64Array;
  readonly thread?: Int32Array;
  readonly op?: NameArray;
  readonly state?: Int32Array;
  readonly major?: Uint8Array;
}

/** Of GPU work the short name, as its track shows it. */
function opName(data: TraceData, table: TableName, op: number, row: number): string {
  const short = table === 'gpu_work' ? shortWorkName(data, row) : undefined;
  return short ?? remember(data.summary, 'names', () => traceNames(data.summary)).name(op);
}

/** An event in a list: what it is, on which thread, when and how long. Times are absent until its table arrived. */
export function eventLine(
  data: TraceData,
  { table, row }: EventRef,
): { readonly name: string; readonly startNs?: number; readonly durationNs?: number } {
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const columns = eventColumns(data.tables, table) as LineColumns | undefined;
  const plain = rowNames[table] ?? tableWords[table][0];
  const startNs = columns?.startNs[row];
  if (columns === undefined || startNs === undefined) return { name: plain };
  const state =
    table === 'off_cpu' ? stateSwatchOf(colourOfTaskState(columns.state?.[row] ?? -1)) : undefined;
  const op = columns.op === undefined ? plain : opName(data, table, columns.op[row] ?? -1, row);
  const what = state?.name ?? (columns.major?.[row] === 1 ? `major ${plain}` : op);
  const thread = columns.thread?.[row] ?? -1;
  const name = thread < 0 ? what : `${what} · ${names.threadLabel(thread)}`;
  const durationNs = columns.durationNs?.[row] ?? -1;
  return durationNs < 0 ? { name, startNs } : { name, startNs, durationNs };
}
