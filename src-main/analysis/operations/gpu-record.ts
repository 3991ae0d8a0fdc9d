import { type GpuWork, gpuWorkFacts, type SubmittedWork } from '../../shared/answers/gpu-work.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { readableName } from '../stacks/frame-names.ts';

/** By call, the row of gpu_work of the copy it submitted; -1 = none. Empty where no record names a call. */
export const copyRecords = perTrace((trace) => {
  const { call, direction } = trace.tables.gpu_work.columns;
  const records = new Int32Array(call === undefined ? 0 : trace.tables.cuda_call.rows).fill(NONE);
  for (let work = (call?.length ?? 0) - 1; work >= 0; work--) {
    if ((direction?.[work] ?? 0) === codeOf(directions, 'none')) continue;
    const submitter = call?.[work] ?? NONE;
    if (submitter >= 0 && submitter < records.length) records[submitter] = work;
  }
  return records;
});

/** More than these nobody reads: a graph has thousands of nodes. */
const SHOWN = 10;

/** By call, the rows of gpu_work that it submitted: those of `call` begin at `offsets[call]`. */
const submittedRows = perTrace(({ tables }) => {
  const { call = [] } = tables.gpu_work.columns;
  if (call.length === 0) return { offsets: new Uint32Array(0), rows: new Uint32Array(0) };
  const calls = tables.cuda_call.rows;
  const offsets = new Uint32Array(calls + 1);
  if (call.length === 0) return { offsets, rows: new Uint32Array(0) };
  const isKnown = (submitter: number) => submitter >= 0 && submitter < calls;
  for (const submitter of call) if (isKnown(submitter)) offsets[submitter + 1]++;
  for (let at = 0; at < calls; at++) offsets[at + 1] += offsets[at];
  const next = offsets.slice();
  const rows = new Uint32Array(offsets[calls]);
  call.forEach((submitter, row) => {
    if (isKnown(submitter)) rows[next[submitter]++] = row;
  });
  return { offsets, rows };
});

/** The rows of gpu_work that `call` submitted, in order of start. */
export function submittedRowsOf(trace: Trace, call: number): Uint32Array {
  const { offsets, rows } = submittedRows(trace);
  return rows.subarray(offsets[call], offsets[call + 1]);
}

/** What the GPU did for `call`; undefined where no record says so. */
export function submittedWork(trace: Trace, call: number): SubmittedWork | undefined {
  const own = submittedRowsOf(trace, call);
  if (own.length === 0) return undefined;
  const { durationNs } = trace.tables.gpu_work.columns;
  return {
    count: own.length,
    totalNs: own.reduce((sum, row) => sum + durationNs[row], 0),
    shown: Array.from(own.subarray(0, SHOWN), (row) => workOf(trace, row)),
  };
}

function workOf(trace: Trace, row: number): GpuWork {
  const columns = columnsOf(trace, 'gpu_work');
  const { op, startNs, durationNs } = trace.tables.gpu_work.columns;
  return {
    ...{ row, name: workName(trace, op[row]) },
    ...{ startNs: startNs[row], durationNs: durationNs[row] },
    ...gpuWorkFacts((column) => columns[column]?.[row]),
  };
}

/** What a kernel, copy or fill is called, by its index into names. */
export function workName({ names }: Pick<Trace, 'names'>, op: number): string {
  return readableName(names[op] ?? 'unknown');
}

/** The GPU's own record, a row of gpu_work, of the copy that `call` submitted; -1 = none. */
export function copyRecordOf(trace: Trace, call: number): number {
  return copyRecords(trace)[call] ?? NONE;
}
