import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { formatCount, formatDuration, plural } from '../../shared/text/units.ts';
import type { ThreadActivity } from '../index/activity.ts';
import { WORKER_NAME } from './role-names.ts';

/** One DataLoader starts its workers within this time of each other. */
const BURST_NS = 5e9;
/** Figures within this factor of each other are of the same order. */
const SAME_ORDER = 10;

/** Named workers of one parent, by the time of their fork. */
interface Siblings {
  readonly processes: Uint32Array;
  readonly startsNs: Float64Array;
}

/** A figure of every process of a trace. */
interface Figure {
  readonly what: string;
  readonly values: Float64Array;
}

/**
 * Says why an unnamed process is a DataLoader worker like its named siblings (those `isNamed` with
 * the same parent), or `undefined`. A recorder may read a process's name before the worker sets it.
 * Forked in the same burst is not enough: the parent starts threads then too, which some recorders
 * report as processes; but only a process of its own allocates pages under its own id.
 */
export function lineageJudge(
  trace: Trace,
  activity: ThreadActivity,
  isNamed: readonly boolean[],
): (index: number) => string | undefined {
  const siblingsOf = siblingsByParent(trace, isNamed);
  const figures = [
    { what: 'page allocations', values: sumByProcess(trace, activity.pageAllocations) },
    { what: 'switches', values: sumByProcess(trace, activity.switches) },
  ];
  return (index) => {
    const { name, parent, startNs } = trace.processes[index];
    const all = siblingsOf.get(parent);
    if (startNs === undefined || all === undefined) return undefined;
    const siblings = within(all, startNs - BURST_NS, startNs + BURST_NS);
    const lastNs = siblings.startsNs.at(-1);
    if (lastNs === undefined) return undefined;
    const likeness = describeLikeness(figures, index, siblings.processes);
    // Workers are started one after the other; the pin-memory and other threads follow them.
    if (likeness === undefined || (likeness === '' && startNs > lastNs)) return undefined;
    const named = plural(siblings.processes.length, 'process', 'processes');
    return `recorded as ${name}, but forked by ${trace.processes[parent].pid} within ${formatDuration(distanceTo(siblings.startsNs, startNs))} of ${named} named ${WORKER_NAME}${likeness}`;
  };
}

function siblingsByParent(trace: Trace, isNamed: readonly boolean[]): Map<number, Siblings> {
  const named = new Map<number, { process: number; startNs: number }[]>();
  trace.processes.forEach(({ parent, startNs }, process) => {
    if (!isNamed[process] || startNs === undefined) return;
    const siblings = named.get(parent);
    if (siblings === undefined) named.set(parent, [{ process, startNs }]);
    else siblings.push({ process, startNs });
  });
  const sorted = new Map<number, Siblings>();
  for (const [parent, siblings] of named) {
    siblings.sort((a, b) => a.startNs - b.startNs);
    sorted.set(parent, {
      processes: Uint32Array.from(siblings, ({ process }) => process),
      startsNs: Float64Array.from(siblings, ({ startNs }) => startNs),
    });
  }
  return sorted;
}

function within({ processes, startsNs }: Siblings, fromNs: number, toNs: number): Siblings {
  const first = lowerBound(startsNs, fromNs);
  const end = upperBound(startsNs, toNs);
  return { processes: processes.subarray(first, end), startsNs: startsNs.subarray(first, end) };
}

/** From `at` to the nearest of the ascending `times`, of which there is at least one. */
function distanceTo(times: Float64Array, at: number): number {
  const next = upperBound(times, at);
  return Math.min(
    next < times.length ? times[next] - at : Infinity,
    next > 0 ? at - times[next - 1] : Infinity,
  );
}

/** How its figures compare: `undefined` where they differ, empty where there are none to compare. */
function describeLikeness(
  figures: readonly Figure[],
  index: number,
  siblings: Uint32Array,
): string | undefined {
  for (const { what, values } of figures) {
    let least = Infinity;
    let most = 0;
    for (const sibling of siblings) {
      least = Math.min(least, values[sibling]);
      most = Math.max(most, values[sibling]);
    }
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
