import type { Trace } from '../shared/model/trace.ts';
import { formatCount, formatDuration, plural } from '../shared/units.ts';
import type { ThreadActivity } from './activity.ts';
import { WORKER_NAME } from './role-names.ts';

/** One DataLoader starts its workers within this time of each other. */
const BURST_NS = 5e9;
/** Figures within this factor of each other are of the same order. */
const SAME_ORDER = 10;

/**
 * Why the unnamed process `index` is a DataLoader worker like its named siblings (those `isNamed`
 * with the same parent), or `undefined`. A recorder may read a process's name before the worker
 * sets it. Forked in the same burst is not enough: the parent starts threads then too, which some
 * recorders report as processes; but only a process of its own allocates pages under its own id.
 */
export function lineageBasis(
  trace: Trace,
  activity: ThreadActivity,
  index: number,
  isNamed: readonly boolean[],
): string | undefined {
  const { name, parent, startNs } = trace.processes[index];
  if (startNs === undefined) return undefined;
  const siblings = trace.processes.flatMap((process, other) =>
    isNamed[other] &&
    process.parent === parent &&
    process.startNs !== undefined &&
    Math.abs(process.startNs - startNs) <= BURST_NS
      ? [{ index: other, startNs: process.startNs }]
      : [],
  );
  if (siblings.length === 0) return undefined;
  const likeness = describeLikeness(
    trace,
    activity,
    index,
    siblings.map((sibling) => sibling.index),
  );
  const lastNs = Math.max(...siblings.map((sibling) => sibling.startNs));
  // Workers are started one after the other; the pin-memory and other threads follow them.
  if (likeness === undefined || (likeness === '' && startNs > lastNs)) return undefined;
  const nearestNs = Math.min(...siblings.map((sibling) => Math.abs(sibling.startNs - startNs)));
  const named = plural(siblings.length, 'process', 'processes');
  return `recorded as ${name}, but forked by ${trace.processes[parent].pid} within ${formatDuration(nearestNs)} of ${named} named ${WORKER_NAME}${likeness}`;
}

/** How its figures compare: `undefined` where they differ, empty where there are none to compare. */
function describeLikeness(
  trace: Trace,
  activity: ThreadActivity,
  index: number,
  siblings: readonly number[],
): string | undefined {
  const figures = [
    ['page allocations', sumByProcess(trace, activity.pageAllocations)],
    ['switches', sumByProcess(trace, activity.switches)],
  ] as const;
  for (const [what, values] of figures) {
    const theirs = siblings.map((sibling) => values[sibling]);
    const least = Math.min(...theirs);
    const most = Math.max(...theirs);
    if (most === 0) continue;
    if (values[index] * SAME_ORDER < least || values[index] > most * SAME_ORDER) return undefined;
    const range =
      least === most ? formatCount(least) : `${formatCount(least)}–${formatCount(most)}`;
    return `, with ${what} of the same order (${formatCount(values[index])} against ${range})`;
  }
  return '';
}

/** Sums over the threads of each process. */
function sumByProcess(trace: Trace, byThread: Float64Array): Float64Array {
  const sums = new Float64Array(trace.processes.length);
  trace.threads.forEach(({ process }, thread) => {
    if (process >= 0) sums[process] += byThread[thread];
  });
  return sums;
}
