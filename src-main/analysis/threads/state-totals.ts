import type { IntegerArray } from '../../shared/model/columns.ts';
import { isPreempted } from '../../shared/model/task-state.ts';
import { threadStates } from '../../shared/model/thread-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { NO_ROW, stateCode, visitStates } from './visit-states.ts';

/** ns in each state over a stretch of time, as far as the thread lived then; they sum to `ns`. */
export interface StateTotals {
  readonly ns: number;
  readonly runningNs: number;
  readonly runnableNs: number;
  /** Part of `runnableNs`. */
  readonly throttledNs: number;
  readonly sleepingNs: number;
  readonly diskNs: number;
  /** Uninterruptible without I/O, stopped. */
  readonly otherBlockedNs: number;
  readonly unknownNs: number;
  /** -1 = not known. */
  readonly switches: number;
  readonly preemptions: number;
  readonly minorFaults: number;
  readonly majorFaults: number;
}

const NOT_KNOWN = -1;

/**
 * What `thread` spent [startNs, endNs) on, ns, as far as it lived then: `ns` is without the time
 * before its birth and after its exit. Takes a time that grows with the switches in the range.
 */
export function stateTotals(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): StateTotals {
  const inState = new Float64Array(threadStates.length);
  let throttledNs = 0;
  let uncoveredNs = 0;
  visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state, row, throttled) => {
    inState[state] += toNs - fromNs;
    if (throttled) throttledNs += toNs - fromNs;
    if (state === stateCode.unknown && row === NO_ROW) uncoveredNs += toNs - fromNs;
  });
  const deadNs = inState[stateCode.dead];
  return {
    ns: Math.max(0, endNs - startNs) - deadNs,
    runningNs: inState[stateCode.running],
    runnableNs: inState[stateCode.runnable],
    throttledNs,
    sleepingNs: inState[stateCode.sleeping],
    diskNs: inState[stateCode.disk],
    otherBlockedNs: inState[stateCode.uninterruptible] + inState[stateCode.stopped],
    unknownNs: inState[stateCode.unknown],
    ...countsOf(trace, thread, startNs, endNs, uncoveredNs === 0),
  };
}

/**
 * Switches off the CPU that began in the range, and the page faults of the slices they ended: a fault
 * is counted when its slice ends, so those of the last slice of a range belong to the next.
 */
function countsOf(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
  complete: boolean,
): Pick<StateTotals, 'switches' | 'preemptions' | 'minorFaults' | 'majorFaults'> {
  const { state, minorFaults, majorFaults } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const first = startsNs.lowerBound(startNs);
  const end = Math.max(first, startsNs.lowerBound(endNs));
  const sumOf = (values: IntegerArray | undefined): number => {
    if (!complete || values === undefined) return NOT_KNOWN;
    let sum = 0;
    for (let at = first; at < end; at++) {
      if (values[rows[at]] < 0) return NOT_KNOWN;
      sum += values[rows[at]];
    }
    return sum;
  };
  let preemptions = complete && state !== undefined ? 0 : NOT_KNOWN;
  for (let at = first; at < end && preemptions !== NOT_KNOWN; at++)
    if (isPreempted(state?.[rows[at]] ?? NOT_KNOWN)) preemptions++;
  return {
    switches: complete ? end - first : NOT_KNOWN,
    preemptions,
    minorFaults: sumOf(minorFaults),
    majorFaults: sumOf(majorFaults),
  };
}
