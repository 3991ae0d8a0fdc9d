import { type ProcessInfo, roles } from '../../../src-main/shared/model/trace.ts';
import type { TraceSummary } from '../../../src-main/shared/summary.ts';

export interface ProcessRow {
  /** Index into processes. */
  readonly index: number;
  readonly process: ProcessInfo;
  readonly parent: ProcessInfo | undefined;
  readonly threads: number;
}

/** The processes, those of the training job first, then by pid. */
export function processRows({ processes, threads }: TraceSummary): ProcessRow[] {
  const counts = new Map<number, number>();
  for (const { process } of threads) counts.set(process, (counts.get(process) ?? 0) + 1);
  return processes
    .map((process, index) => ({
      index,
      process,
      parent: processes[process.parent],
      threads: counts.get(index) ?? 0,
    }))
    .toSorted(
      (a, b) =>
        roles.indexOf(a.process.role) - roles.indexOf(b.process.role) ||
        a.process.pid - b.process.pid,
    );
}
