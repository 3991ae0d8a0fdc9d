import { codeOf, directions } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';

/** By call, the row of gpu_work of the copy it submitted. */
const copyRecords = perTrace((trace) => {
  const { call, direction } = trace.tables.gpu_work.columns;
  const records = new Int32Array(call === undefined ? 0 : trace.tables.cuda_call.rows).fill(NONE);
  for (let work = (call?.length ?? 0) - 1; work >= 0; work--) {
    if ((direction?.[work] ?? 0) === codeOf(directions, 'none')) continue;
    const submitter = call?.[work] ?? NONE;
    if (submitter >= 0 && submitter < records.length) records[submitter] = work;
  }
  return records;
});

/** The GPU's own record, a row of gpu_work, of the copy that `call` submitted; -1 = none. */
export function copyRecordOf(trace: Trace, call: number): number {
  return copyRecords(trace)[call] ?? NONE;
}
