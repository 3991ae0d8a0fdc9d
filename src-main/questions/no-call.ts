import type { Trace } from '../shared/model/trace.ts';
import { fail } from '../shared/rpc/result.ts';

/** Whether `call` is a row of cuda_call; absent, the question is of none. */
export function hasCall(trace: Trace, call = -1): boolean {
  return call < trace.tables.cuda_call.rows;
}

export function noCall(call: number | undefined) {
  return fail('not-found', `This trace has no CUDA call number ${call}: choose another call.`);
}
