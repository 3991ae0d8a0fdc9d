import type { Trace } from '../../shared/model/trace.ts';
import { HELD_BY_QUOTA, isIdleTask, visitWhoRan } from '../threads/visit-who-ran.ts';

/** Who had the CPU while a thread waited for it: ns; they sum to the time asked about. */
export interface RunnableSplit {
  ownNs: number;
  otherNs: number;
  idleNs: number;
  /** By samples of its control group a CPU quota held it back. */
  throttledNs: number;
  unknownNs: number;
}

/** Splits [startNs, endNs), in which the thread of off-CPU row `row` waited for a CPU. */
export function splitRunnable(
  trace: Trace,
  row: number,
  startNs: number,
  endNs: number,
  isOwn: (process: number) => boolean,
): RunnableSplit {
  const split: RunnableSplit = {
    ...{ ownNs: 0, otherNs: 0, idleNs: 0 },
    ...{ throttledNs: 0, unknownNs: 0 },
  };
  visitWhoRan(trace, row, startNs, endNs, (fromNs, toNs, who) => {
    const ns = toNs - fromNs;
    if (isIdleTask(trace, who)) split.idleNs += ns;
    else if (who === HELD_BY_QUOTA) split.throttledNs += ns;
    else if (who < 0) split.unknownNs += ns;
    else if (isOwn(trace.threads[who].process)) split.ownNs += ns;
    else split.otherNs += ns;
  });
  return split;
}
