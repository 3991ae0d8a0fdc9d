import type { Activity, ActivityFigure } from '../../shared/answers/process-breakdown.ts';

/** Figures that add up over the threads of a process. */
const sums = [
  'cpuNs',
  'switches',
  'preemptions',
  'offCpuNs',
  'runnableNs',
  'throttledNs',
  'blockedNs',
  'diskNs',
  'minorFaults',
  'majorFaults',
  'pageAllocations',
  'pageAllocationBytes',
  'cudaCalls',
  'cudaNs',
] as const satisfies readonly ActivityFigure[];

/** What several threads did together: sums, and the longest stall of any that `stalls`. */
export function sumActivity<Part extends Activity>(
  parts: readonly Part[],
  stalls: (part: Part) => boolean,
): Activity {
  const total: Partial<Record<ActivityFigure, number>> = {};
  let longest: Activity | undefined;
  for (const part of parts) {
    for (const figure of sums) {
      const value = part[figure];
      if (value !== undefined) total[figure] = (total[figure] ?? 0) + value;
    }
    if (stalls(part) && (part.longestStallNs ?? -1) > (longest?.longestStallNs ?? -1))
      longest = part;
  }
  const { longestStallNs, longestStall } = longest ?? {};
  return {
    ...total,
    ...(longestStallNs !== undefined && { longestStallNs }),
    ...(longestStall !== undefined && { longestStall }),
  };
}
