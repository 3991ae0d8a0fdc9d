import type { Columns } from '../../shared/model/columns.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Provenance, Table, Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';
import { AMBIGUOUS, type CallTable, callsById } from './calls-by-id.ts';

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
