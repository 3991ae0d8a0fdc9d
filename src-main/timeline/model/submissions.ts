import type { IntegerArray } from '../../shared/model/columns.ts';
import { eventColumns } from './event-source.ts';
import { remember } from './remember.ts';
import type { LoadedTables } from './trace-data.ts';

/** By outermost call, the rows of gpu_work that it or a call inside it submitted: in order of start. */
interface Submissions {
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
}

const NOTHING = new Uint32Array(0);

interface WorkColumns {
  readonly startNs: Float64Array;
  /** The call that submitted it, as recorded: an inner one where several enclose each other. */
  readonly call?: IntegerArray;
}

interface CallColumns {
  readonly startNs: Float64Array;
  readonly parent?: IntegerArray;
}

function callColumns(tables: LoadedTables): CallColumns | undefined {
  return eventColumns(tables, 'cuda_call') as CallColumns | undefined;
}

function workColumns(tables: LoadedTables): WorkColumns | undefined {
  return eventColumns(tables, 'gpu_work') as WorkColumns | undefined;
}

/** The call that no other encloses; a row that is none of the table's stays what it is. */
function outermost(parent: IntegerArray | undefined, call: number): number {
  let at = call;
  // A damaged file may name a circle.
  for (let depth = 0; depth < MAX_DEPTH && (parent?.[at] ?? -1) >= 0; depth++)
    at = parent?.[at] ?? at;
  return at;
}

const MAX_DEPTH = 64;

function sortSubmissions(calls: CallColumns, work: WorkColumns): Submissions {
  const { call = [], startNs } = work;
  const count = calls.startNs.length;
  const offsets = new Uint32Array(count + 1);
  const owners = Int32Array.from(call, (row) => {
    const owner = row < 0 ? -1 : outermost(calls.parent, row);
    return owner < count ? owner : -1;
  });
  for (const owner of owners) if (owner >= 0) offsets[owner + 1]++;
  for (let at = 0; at < count; at++) offsets[at + 1] += offsets[at];
  const next = offsets.slice();
  const rows = new Uint32Array(offsets[count]);
  owners.forEach((owner, row) => {
    if (owner >= 0) rows[next[owner]++] = row;
  });
  for (let at = 0; at < count; at++) {
    const [from, to] = [offsets[at], offsets[at + 1]];
    if (to - from > 1) rows.subarray(from, to).sort((a, b) => startNs[a] - startNs[b] || a - b);
  }
  return { offsets, rows };
}

/** Rows of gpu_work that the GPU did for `call`, a row of cuda_call, and for calls inside it; in order of start. */
export function workOfCall(tables: LoadedTables, call: number): Uint32Array {
  const calls = callColumns(tables);
  const work = workColumns(tables);
  if (calls === undefined || work?.call === undefined || !(call < calls.startNs.length))
    return NOTHING;
  const { offsets, rows } = remember(work, `submissions of ${calls.startNs.length}`, () =>
    sortSubmissions(calls, work),
  );
  const { parent } = calls;
  const owner = outermost(parent, call);
  const all = rows.subarray(offsets[owner], offsets[owner + 1]);
  if (owner === call) return all;
  const isWithin = (inner: number) => {
    let at = inner;
    for (let depth = 0; depth < MAX_DEPTH && at >= 0 && at !== call; depth++)
      at = parent?.[at] ?? -1;
    return at === call;
  };
  return all.filter((row) => isWithin(work.call?.[row] ?? -1));
}

/** The outermost call that asked for a row of gpu_work; -1 where that is not known. */
export function callOfWork(tables: LoadedTables, row: number): number {
  const call = workColumns(tables)?.call?.[row] ?? -1;
  const calls = callColumns(tables);
  if (calls === undefined || call < 0 || call >= calls.startNs.length) return -1;
  return outermost(calls.parent, call);
}
