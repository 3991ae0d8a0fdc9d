import type { Rank } from '../../shared/answers/jobs.ts';
import type { Activity } from '../../shared/answers/process-breakdown.ts';
import { type RoleFigure, type RunRoles, roleFigures } from '../../shared/answers/run-summary.ts';
import { hostIndexOf } from '../../shared/model/hosts.ts';
import { type Role, roles, type Trace } from '../../shared/model/trace.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { figureBases } from '../processes/figure-bases.ts';
import { comparedActivity } from '../processes/thread-activity.ts';
import type { ComparedSteps } from './run-steps.ts';

type Sums = Partial<Record<RoleFigure, number>>;

/** What the threads of `rank` did in the compared steps and between them, by role, for each step. */
export function runRoles(trace: Trace, rank: Rank, { window, startsNs }: ComparedSteps): RunRoles {
  const span = { startNs: window[0], endNs: window[1], isWhole: false };
  const { threadsOf } = jobIndex(trace);
  const byRole = new Map<Role, { threads: number; sums: Sums }>();
  for (const thread of rank.processes.flatMap((process) => threadsOf(process))) {
    const figures = figuresOf(comparedActivity(trace, thread, span));
    const { role } = trace.threads[thread];
    const told = byRole.get(role) ?? { threads: 0, sums: {} };
    byRole.set(role, told);
    told.threads++;
    for (const figure of roleFigures) {
      const { [figure]: value } = figures;
      if (value !== undefined) told.sums[figure] = (told.sums[figure] ?? 0) + value;
    }
  }
  const host = hostIndexOf(trace, rank.mainThread);
  const atLeast: readonly string[] = figureBases(trace, span).at(host)?.atLeast ?? [];
  return {
    roles: roles.flatMap((role) => {
      const told = byRole.get(role);
      if (told === undefined || Object.keys(told.sums).length === 0) return [];
      return { role, threads: told.threads, aStep: perStep(told.sums, startsNs.length) };
    }),
    atLeast: roleFigures.filter((figure) =>
      atLeast.includes(figure === 'faults' ? 'minorFaults' : figure),
    ),
  };
}

function figuresOf({ cpuNs, runnableNs, switches, minorFaults, majorFaults }: Activity): {
  readonly [figure in RoleFigure]: number | undefined;
} {
  const isCounted = minorFaults !== undefined || majorFaults !== undefined;
  const faults = isCounted ? (minorFaults ?? 0) + (majorFaults ?? 0) : undefined;
  return { cpuNs, runnableNs, switches, faults };
}

function perStep(sums: Sums, steps: number): Sums {
  return Object.fromEntries(Object.entries(sums).map(([figure, sum]) => [figure, sum / steps]));
}
