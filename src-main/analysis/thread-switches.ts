import type { Columns } from '../shared/model/columns.ts';

/** The off-CPU rows of one thread, in order of start. */
export interface ThreadSwitches {
  /** Rows of off_cpu. */
  readonly rows: Uint32Array;
  readonly startsNs: Float64Array;
  /** The latest end among a row and those before it: never falls, even where spans overlap. */
  readonly latestEndsNs: Float64Array;
}

/** Collects the rows of `thread`: two passes over one column. */
export function threadSwitches(columns: Columns<'off_cpu'>, thread: number): ThreadSwitches {
  let count = 0;
  for (let row = 0; row < columns.thread.length; row++) if (columns.thread[row] === thread) count++;
  const rows = new Uint32Array(count);
  const startsNs = new Float64Array(count);
  const latestEndsNs = new Float64Array(count);
  let latestEndNs = -Infinity;
  for (let row = 0, next = 0; next < count; row++) {
    if (columns.thread[row] !== thread) continue;
    const startNs = columns.startNs[row];
    latestEndNs = Math.max(latestEndNs, startNs + columns.durationNs[row]);
    rows[next] = row;
    startsNs[next] = startNs;
    latestEndsNs[next++] = latestEndNs;
  }
  return { rows, startsNs, latestEndsNs };
}

/** First index of the ascending `values` whose value is above `limit`, or at it where `orEqual`. */
export function firstAbove(values: Float64Array, limit: number, orEqual = false): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > limit || (orEqual && values[middle] === limit)) high = middle;
    else low = middle + 1;
  }
  return low;
}
