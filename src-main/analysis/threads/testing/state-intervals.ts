import type { Trace } from '../../../shared/model/trace.ts';
import { visitStates } from '../visit-states.ts';

/** Stretches of a thread's time, in order of time. */
export interface StateIntervals {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** Codes of threadStates. */
  readonly states: Uint8Array;
  /** The row of off_cpu each is from; -1 = on a CPU, dead or not recorded. */
  readonly rows: Int32Array;
}

/**
 * What `thread` did over [startNs, endNs). The intervals tile it exactly, whatever the trace holds;
 * neighbours may have the same state. See visitStates for what each means.
 */
export function stateIntervals(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): StateIntervals {
  const startsNs: number[] = [];
  const endsNs: number[] = [];
  const states: number[] = [];
  const rows: number[] = [];
  visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state, row) => {
    startsNs.push(fromNs);
    endsNs.push(toNs);
    states.push(state);
    rows.push(row);
  });
  return {
    startsNs: Float64Array.from(startsNs),
    endsNs: Float64Array.from(endsNs),
    states: Uint8Array.from(states),
    rows: Int32Array.from(rows),
  };
}
