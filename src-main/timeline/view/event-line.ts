import type { EventLine } from '../../shared/answers/placed-event.ts';
import type { IntegerArray, NameArray, NumberArray } from '../../shared/model/columns.ts';
import type { EventRef } from '../../shared/model/event-ref.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { tableWords } from '../../shared/words/table-words.ts';
import { colourOfTaskState } from '../build/thread-segments.ts';
import { stateSwatchOf } from '../model/colours.ts';
import { eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import { traceNames } from '../model/trace-names.ts';
import { shortWorkName } from './told-work.ts';

/** What happened to the thread of the row, where that says more than what the row is. */
const rowNames: Readonly<Partial<Record<TableName, string>>> = {
  gpu_work: 'GPU work',
  off_cpu: 'off the CPU',
  on_cpu: 'ran',
};

interface LineColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: NumberArray;
  readonly thread?: IntegerArray;
  readonly op?: NameArray;
  readonly state?: IntegerArray;
  readonly major?: Uint8Array;
}

/** Of GPU work the short name, as its track shows it. */
function opName(data: TraceData, table: TableName, op: number, row: number): string {
  const short = table === 'gpu_work' ? shortWorkName(data, row) : undefined;
  return short ?? remember(data.summary, 'names', () => traceNames(data.summary)).name(op);
}

/** An event in a list: what it is, on which thread, when and how long. Times are absent where the trace has no such row. */
export function eventLine(data: TraceData, { table, row }: EventRef): EventLine {
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
