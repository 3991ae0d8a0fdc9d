import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Provenance, Trace } from '../../shared/model/trace.ts';

const filled = ['bytes', 'direction', 'stream'] as const;

/**
 * `trace` with the size and way of each copy and fill, and the stream of each call that submitted work, as the GPU's
 * own record of that work says, where the file has no such column of calls. One pass over gpu_work.
 */
export function fillSubmissions(trace: Trace): Trace {
  const { cuda_call: calls, gpu_work: work } = trace.tables;
  const { call } = work.columns;
  if (call === undefined) return trace;
  const missing = filled.filter(
    (name) => calls.columns[name] === undefined && work.columns[name] !== undefined,
  );
  if (missing.length === 0) return trace;
  const isTransfer = trace.names.map((name) => ['copy', 'fill'].includes(cudaOpKind(name)));
  const columns = {
    bytes: new Float64Array(calls.rows).fill(-1),
    direction: new Uint8Array(calls.rows),
    stream: new Int32Array(calls.rows).fill(NONE),
  };
  for (let row = 0; row < work.rows; row++) {
    const submitter = call[row];
    if (submitter < 0 || submitter >= calls.rows) continue;
    columns.stream[submitter] = work.columns.stream?.[row] ?? NONE;
    if (!isTransfer[calls.columns.op[submitter]]) continue;
    columns.bytes[submitter] = work.columns.bytes?.[row] ?? -1;
    columns.direction[submitter] = work.columns.direction?.[row] ?? 0;
  }
  const provenance: Provenance = {
    kind: work.provenance.kind,
    note: 'As the GPU’s own records of the work say, which the file joins to its calls.',
  };
  const cuda_call = {
    ...calls,
    columns: {
      ...calls.columns,
      ...Object.fromEntries(missing.map((name) => [name, columns[name]])),
    },
    columnProvenance: {
      ...calls.columnProvenance,
      ...Object.fromEntries(missing.map((name) => [name, provenance])),
    },
  };
  return { ...trace, tables: { ...trace.tables, cuda_call } };
}
