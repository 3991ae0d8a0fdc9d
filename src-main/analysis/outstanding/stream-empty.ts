import type { Trace } from '../../shared/model/trace.ts';
import { WORK_NONE, WORK_SUBMITTED } from './open-streams.ts';
import { workBefore } from './outstanding-work.ts';

/**
 * Whether nothing that `call` had to wait for was outstanding when it was entered: every stream its
 * process had used was waited for, and nothing submitted since. All streams, not its own alone:
 * waits of one stream for another are not recorded, and the legacy default stream waits for all.
 * `false`: something was submitted and not waited for, it may have ended. `undefined`: losses, a
 * capture that began later than the process, or launches that were only counted leave it open.
 */
export function streamEmptyAt(trace: Trace, call: number): boolean | undefined {
  const { thread, startNs } = trace.tables.cuda_call.columns;
  const process = trace.threads[thread[call]]?.process ?? -1;
  if (process < 0) return undefined;
  const state = workBefore(trace, process, startNs[call]);
  if (state === WORK_NONE) return true;
  return state === WORK_SUBMITTED ? false : undefined;
}
