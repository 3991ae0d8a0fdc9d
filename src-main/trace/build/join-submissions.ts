import type { Columns } from '../../shared/model/columns.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Provenance, Table, Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';

/** More than one call or piece of work has this id: which belongs to which cannot be told. */
const AMBIGUOUS = -2;

/** A table that is half empty needs a handful: only ids chosen to collide need more, and are not joined. */
const MAX_PROBES = 256;

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
  const processOf = workProcess(trace);
  const calls = callsById(trace);
  forgetShared(calls, processOf, work.columns);
  const call = known?.slice() ?? new Int32Array(work.rows).fill(NONE);
  let joined = 0;
  for (let row = 0; row < work.rows; row++) {
    if (call[row] !== NONE) continue;
    const slot = calls.slotOf(processOf(row), correlation[row]);
    if (slot < 0 || calls.rows[slot] < 0) continue;
    call[row] = calls.rows[slot];
    joined++;
  }
  if (joined === 0) return trace;
  const columnProvenance = { ...work.columnProvenance, call: joinedProvenance(work, joined) };
  const gpu_work = { ...work, columns: { ...work.columns, call }, columnProvenance };
  return { ...trace, tables: { ...trace.tables, gpu_work } };
}

/** The process of a row of gpu_work: its own, else that of its context, else of its stream's. */
function workProcess({ tables, contexts, streams }: Trace): (row: number) => number {
  const { process, context, stream } = tables.gpu_work.columns;
  return (row) => {
    const own = process?.[row] ?? NONE;
    if (own !== NONE) return own;
    const named = context?.[row] ?? NONE;
    const of = named === NONE ? streams[stream?.[row] ?? NONE]?.context : named;
    return contexts[of ?? NONE]?.process ?? NONE;
  };
}

/** Calls by process and id: open addressing in typed arrays, as a Map takes ten times as long. */
class CallTable {
  /** By slot, the row of the call, NONE, or AMBIGUOUS. */
  readonly rows: Int32Array;
  /** By slot, the first work of that id; NONE = none yet. */
  readonly works: Int32Array;
  readonly #keys: Float64Array;
  readonly #bits: number;

  constructor(calls: number) {
    this.#bits = Math.max(4, Math.ceil(Math.log2(2 * calls + 1)));
    const size = 2 ** this.#bits;
    this.#keys = new Float64Array(size);
    this.rows = new Int32Array(size).fill(NONE);
    this.works = new Int32Array(size).fill(NONE);
  }

  /** -1 where either is not known, or no call has it. */
  slotOf(process: number, id: number): number {
    if (process === NONE || id === 0) return -1;
    const slot = this.#find(process, id);
    return slot < 0 || this.#keys[slot] === 0 ? -1 : slot;
  }

  add(process: number, id: number, row: number): void {
    if (process === NONE || id === 0) return;
    const slot = this.#find(process, id);
    if (slot < 0) return;
    this.rows[slot] = this.#keys[slot] === 0 ? row : AMBIGUOUS;
    this.#keys[slot] = process * IDS + id;
  }

  /** The slot that has it, or the free one where it belongs (Fibonacci hashing); -1 = looked for too long. */
  #find(process: number, id: number): number {
    const key = process * IDS + id;
    const last = this.#keys.length - 1;
    let slot = Math.imul(id ^ Math.imul(process, 0x85ebca6b), 0x9e3779b1) >>> (32 - this.#bits);
    for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & last)
      if (this.#keys[slot] === 0 || this.#keys[slot] === key) return slot;
    return -1;
  }
}

function callsById({ tables, threads }: Trace): CallTable {
  const { thread, correlation } = tables.cuda_call.columns;
  const calls = new CallTable(thread.length);
  for (let row = 0; row < thread.length; row++)
    calls.add(threads[thread[row]]?.process ?? NONE, correlation?.[row] ?? 0, row);
  return calls;
}

/** Work that the file itself gives to a call counts too: then the id stands for more than one. */
function forgetShared(
  calls: CallTable,
  processOf: (row: number) => number,
  { correlation, graph }: Columns<'gpu_work'>,
): void {
  for (let row = 0; row < (correlation?.length ?? 0); row++) {
    const slot = calls.slotOf(processOf(row), correlation?.[row] ?? 0);
    if (slot < 0) continue;
    const first = calls.works[slot];
    if (first === NONE) calls.works[slot] = row;
    else if (graph === undefined || graph[first] === 0 || graph[first] !== graph[row])
      calls.rows[slot] = AMBIGUOUS;
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
