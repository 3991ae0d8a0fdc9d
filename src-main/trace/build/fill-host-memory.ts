import { codeOf, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Provenance, Trace } from '../../shared/model/trace.ts';

const TO_DEVICE = codeOf(directions, 'H2D');
const TO_HOST = codeOf(directions, 'D2H');

/**
 * `trace` with the host memory of each copy whose kind the file does not say, as the GPU's own record
 * of that copy says: both have the same codes. One pass over gpu_work.
 */
export function fillHostMemory(trace: Trace): Trace {
  const { cuda_call: calls, gpu_work: work } = trace.tables;
  const { call, direction, sourceMemory, destinationMemory } = work.columns;
  const known = calls.columns.hostMemory;
  const hostMemory = known?.slice() ?? new Uint8Array(calls.rows);
  let filled = 0;
  for (let row = 0; row < work.rows; row++) {
    const submitter = call?.[row] ?? NONE;
    if (submitter < 0 || submitter >= calls.rows || hostMemory[submitter] !== 0) continue;
    const way = direction?.[row] ?? 0;
    const host = way === TO_DEVICE ? sourceMemory : way === TO_HOST ? destinationMemory : undefined;
    const kind = host?.[row] ?? 0;
    if (kind === 0 || kind >= hostMemoryKinds.length) continue;
    hostMemory[submitter] = kind;
    filled++;
  }
  if (filled === 0) return trace;
  const provenance: Provenance = {
    ...(known === undefined
      ? work.provenance
      : (calls.columnProvenance.hostMemory ?? calls.provenance)),
    note: 'As the GPU’s own records of the copies say, where the file does not say it of the call.',
  };
  const columnProvenance = { ...calls.columnProvenance, hostMemory: provenance };
  const cuda_call = { ...calls, columns: { ...calls.columns, hostMemory }, columnProvenance };
  return { ...trace, tables: { ...trace.tables, cuda_call } };
}
