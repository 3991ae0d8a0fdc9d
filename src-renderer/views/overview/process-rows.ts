import type { TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import { outsideJob } from '../../../src-main/shared/model/outside-job.ts';
import { type ProcessInfo, roles } from '../../../src-main/shared/model/trace.ts';

export interface ProcessRow {
  /** Index into processes. */
  readonly index: number;
  readonly process: ProcessInfo;
  readonly parent: ProcessInfo | undefined;
  readonly threads: number;
  /** Seen beside the job, not a part of it. */
  readonly outside: boolean;
}

/** The processes by rank and role, those of the training job first, then by pid. */
export function processRows({ processes, threads }: TraceSummary): ProcessRow[] {
  const counts = new Map<number, number>();
  for (const { process } of threads) counts.set(process, (counts.get(process) ?? 0) + 1);
  const outside = outsideJob(processes);
  return processes
    .map((process, index) => ({
      index,
      process,
      parent: processes[process.parent],
      threads: counts.get(index) ?? 0,
      outside: outside[index] === true,
    }))
    .toSorted(
      (a, b) =>
        Number(a.outside) - Number(b.outside) ||
        roles.indexOf(a.process.role) - roles.indexOf(b.process.role) ||
        (a.process.rank ?? 0) - (b.process.rank ?? 0) ||
        (a.process.host ?? 0) - (b.process.host ?? 0) ||
        a.process.pid - b.process.pid,
    );
}

/** `1 of 2 · local 1`, as the environment of a distributed job says. */
export function rankText({ rank, localRank, worldSize }: ProcessInfo): string {
  if (rank === undefined) return '';
  const of = worldSize === undefined ? '' : ` of ${worldSize}`;
  const local = localRank === undefined || localRank === rank ? '' : ` · local ${localRank}`;
  return `${rank}${of}${local}`;
}

/** `0-3 · at most 2 CPUs`: where a process may run, as far as that is recorded. */
export function cpusText({ cpusAllowed, cpuQuota }: ProcessInfo): string {
  const quota =
    cpuQuota === undefined
      ? ''
      : `at most ${Number(cpuQuota.toPrecision(3))} ${cpuQuota === 1 ? 'CPU' : 'CPUs'}`;
  return [cpusAllowed ?? '', quota].filter(Boolean).join(' · ');
}

/** Whether processes differ in where they may run, or are held below their CPUs: else it says nothing. */
export function areCpusTold(rows: readonly ProcessRow[]): boolean {
  const known = rows.map(({ process }) => cpusText(process)).filter((text) => text !== '');
  return new Set(known).size > 1 || rows.some(({ process }) => process.cpuQuota !== undefined);
}
