import type { Trace } from '../../shared/model/trace.ts';
import { atOnce, type Pieces } from '../../shared/numbers/pieces.ts';
import { perNumber } from '../index/per-trace.ts';
import { WORK_UNKNOWN } from './open-streams.ts';
import type { States } from './state-list.ts';
import { WorkSweep } from './work-sweep.ts';

/**
 * What one process had given its device: from each of `startsNs` on up to the next. Waits of one
 * stream for another are not recorded, and the legacy default stream waits for all: so work on any
 * stream counts as work on each.
 */
export interface Outstanding extends States {
  /** Waits for the device, rows of cuda_call in order of start, made with known work outstanding. */
  readonly waits: Uint32Array;
}

const sweepOf = perNumber((trace, process) => new WorkSweep(trace, process));

/** The work of a process over the whole trace, kept with it: one sweep over its calls. */
export const outstandingWork = perNumber((trace, process): Outstanding => {
  atOnce(outstandingWorkAhead(trace, process));
  const { states, waits } = sweepOf(trace, process);
  return { ...states.whole(), waits: Uint32Array.from(waits).sort() };
});

/** Works it out ahead, piece by piece, as far as it is asked for `untilNs`. */
export function* outstandingWorkAhead(
  trace: Trace,
  process: number,
  untilNs = Infinity,
): Pieces<void> {
  const sweep = sweepOf(trace, process);
  while (!sweep.isPast(untilNs)) {
    sweep.goOn();
    yield;
  }
}

/** The state just before `atNs`: of what comes later nothing is worked out. */
export function workBefore(trace: Trace, process: number, atNs: number): number {
  atOnce(outstandingWorkAhead(trace, process, atNs));
  return sweepOf(trace, process).states.before(atNs) ?? WORK_UNKNOWN;
}
