import type { Trace } from '../../shared/model/trace.ts';
import type { Pieces } from '../../shared/numbers/pieces.ts';
import { WORK_NONE, WORK_SUBMITTED } from './open-streams.ts';
import { workBefore, workNear } from './outstanding-work.ts';

/**
 * Whether nothing that `call` had to wait for was outstanding when it was entered: every stream its
 * process had used was waited for, and nothing submitted since. All streams, not its own alone:
 * waits of one stream for another are not recorded, and the legacy default stream waits for all.
 * `false`: something was submitted and not waited for, it may have ended. `undefined`: losses, a
 * capture that began later than the process, or launches that were only counted leave it open.
 */
export function streamEmptyAt(trace: Trace, call: number): boolean | undefined {
  const process = processOf(trace, call);
  if (process < 0) return undefined;
  return isEmpty(workBefore(trace, process, trace.tables.cuda_call.columns.startNs[call]));
}

/** The same of one call alone, in pieces: the work of the whole process is not gone through for it. */
export function* streamEmptyNear(trace: Trace, call: number): Pieces<boolean | undefined> {
  const process = processOf(trace, call);
  if (process < 0) return undefined;
  const state = yield* workNear(trace, process, trace.tables.cuda_call.columns.startNs[call]);
  return isEmpty(state);
}

const processOf = ({ threads, tables }: Trace, call: number) =>
  threads[tables.cuda_call.columns.thread[call]]?.process ?? -1;

function isEmpty(state: number): boolean | undefined {
  if (state === WORK_NONE) return true;
  return state === WORK_SUBMITTED ? false : undefined;
}
