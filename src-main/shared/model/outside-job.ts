import type { ProcessInfo } from './trace.ts';

/** Whether the recorder, or a rule, says that it has a part in the job. */
function isMarked({ role, commandLine, rank }: ProcessInfo): boolean {
  return (role !== 'other' && role !== 'kernel') || commandLine !== undefined || rank !== undefined;
}

/**
 * For each process whether it is a stranger to the job: seen because it held a CPU or a disk, say, but
 * neither marked as a part of the job nor descended from one. None is where no job is known.
 */
export function outsideJob(processes: readonly ProcessInfo[]): boolean[] {
  const inside = processes.map(isMarked);
  if (!inside.includes(true)) return processes.map(() => false);
  const OUTSIDE = 1;
  const INSIDE = 2;
  const known = Uint8Array.from(inside, (part) => (part ? INSIDE : 0));
  for (let process = 0; process < processes.length; process++) {
    const path: number[] = [];
    let at = process;
    // Parents form no cycles, yet a damaged summary must not hang the page: what is on the path counts
    // as outside until its end is known.
    while (known[at] === 0) {
      known[at] = OUTSIDE;
      path.push(at);
      at = processes[at].parent;
    }
    for (const step of path) known[step] = known[at] ?? OUTSIDE;
  }
  return processes.map((_, process) => known[process] !== INSIDE);
}
