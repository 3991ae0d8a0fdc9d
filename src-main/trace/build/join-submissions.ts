import type { Columns } from '../../shared/model/columns.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Provenance, Table, Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';

/** More than one call or piece of work has this id: which belongs to which cannot be told. */
const AMBIGUOUS = -2;

/** Above every correlation id: what two of them are told by fits a 64-bit float. */
const IDS = 2 ** 32;

/**
 * `trace` with each piece of GPU work joined to the call that submitted it, where the file names no
 * call but both have the same correlation id in the same process, and no other call or work there
 * has it. Only the nodes of one launched graph share an id by right. One pass over each table.
 */
export function joinSubmissions(trace: Trace): Trace {
  const { gpu_work: work } = trace.tables;
  const { correlation, call: known } = work.columns;
  if (correlation === undefined || trace.tables.cuda_call.columns.correlation === undefined)
    return trace;
  const keys = keysOfWork(trace);
  const calls = callsById(trace);
  forgetShared(calls, keys, work.columns);
  const call = known?.slice() ?? new Int32Array(work.rows).fill(NONE);
  let joined = 0;
  for (let row = 0; row < work.rows; row++) {
    const found = call[row] === NONE ? (calls.get(keys[row]) ?? NONE) : NONE;
    if (found < 0) continue;
    call[row] = found;
    joined++;
  }
  if (joined === 0) return trace;
  const columnProvenance = { ...work.columnProvenance, call: joinedProvenance(work, joined) };
  const gpu_work = { ...work, columns: { ...work.columns, call }, columnProvenance };
  return { ...trace, tables: { ...trace.tables, gpu_work } };
}

/** By process and id of each row of gpu_work; NaN = either is not known. */
function keysOfWork({ tables, contexts, streams }: Trace): Float64Array {
  const { correlation, process, context, stream } = tables.gpu_work.columns;
  return Float64Array.from({ length: tables.gpu_work.rows }, (_, row) => {
    const own = process?.[row] ?? NONE;
    if (own !== NONE) return keyOf(own, correlation?.[row]);
    const named = context?.[row] ?? NONE;
    const of = named === NONE ? streams[stream?.[row] ?? NONE]?.context : named;
    return keyOf(contexts[of ?? NONE]?.process ?? NONE, correlation?.[row]);
  });
}

function keyOf(process: number, correlation = 0): number {
  return process === NONE || correlation === 0 ? Number.NaN : process * IDS + correlation;
}

function callsById({ tables, threads }: Trace): Map<number, number> {
  const { thread, correlation } = tables.cuda_call.columns;
  const calls = new Map<number, number>();
  for (let row = 0; row < thread.length; row++) {
    const key = keyOf(threads[thread[row]]?.process ?? NONE, correlation?.[row]);
    if (!Number.isNaN(key)) calls.set(key, calls.has(key) ? AMBIGUOUS : row);
  }
  return calls;
}

/** Work that the file itself gives to a call counts too: then the id stands for more than one. */
function forgetShared(
  calls: Map<number, number>,
  keys: Float64Array,
  { graph }: Columns<'gpu_work'>,
): void {
  const firsts = new Map<number, number>();
  for (let row = 0; row < keys.length; row++) {
    if (Number.isNaN(keys[row])) continue;
    const first = firsts.get(keys[row]);
    if (first === undefined) firsts.set(keys[row], row);
    else if (graph === undefined || graph[first] === 0 || graph[first] !== graph[row])
      calls.set(keys[row], AMBIGUOUS);
  }
}

function joinedProvenance(
  { columns, provenance, columnProvenance }: Table<'gpu_work'>,
  joined: number,
): Provenance {
  if (columns.call === undefined)
    return { kind: 'inferred', note: 'By the correlation ids that calls and GPU work share.' };
  const { note, ...rest } = columnProvenance.call ?? provenance;
  const own = `${formatCount(joined)} of them by the correlation ids that calls and GPU work share.`;
  return { ...rest, note: note === '' ? own : `${note}. ${own}` };
}
