import type { ProcessInfo } from './model/trace.ts';

/** Whether the recorder, or a rule, says that it has a part in the job. */
function isMarked({ role, commandLine, rank }: ProcessInfo): boolean {
  return (role !== 'other' && role !== 'kernel') || commandLine !== undefined || rank !== undefined;
}

/**
 * For each process whether it is a stranger to the job: seen because it held a CPU or a disk, but
 * neither marked as a part of the job nor descended from one. None is where no job is known.
 */
export function outsideJob(processes: readonly ProcessInfo[]): boolean[] {
  const inside = processes.map(isMarked);
  if (!inside.includes(true)) return processes.map(() => false);
  return processes.map((_, index) => {
    // Parents form no cycles, yet a damaged summary must not hang the page.
    for (let at = index, left = processes.length; at >= 0 && left > 0; left--) {
      if (inside[at]) return false;
      at = processes[at]?.parent ?? -1;
    }
    return true;
  });
}
