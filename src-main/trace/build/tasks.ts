import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo, ThreadInfo } from '../../shared/model/trace.ts';
import type { EntityList } from './entity-list.ts';

interface Tasks {
  readonly processes: readonly ProcessInfo[];
  readonly threads: readonly ThreadInfo[];
}

const unknownProcess: ProcessInfo = {
  pid: 0,
  name: '(not known)',
  parent: NONE,
  role: 'other',
  roleBasis: 'the file does not say which process these threads belong to',
};

/**
 * Processes and threads as the model has them: parents, which were given by id, as positions and never
 * in a circle, and threads without a process in one that says so.
 */
export function settleTasks(
  processes: EntityList<ProcessInfo>,
  threads: readonly ThreadInfo[],
): Tasks {
  const parents = Int32Array.from(processes.values, ({ parent }) => processes.positionOf(parent));
  cutCircles(parents);
  const settled = processes.values.map((process, at) => ({ ...process, parent: parents[at] }));
  if (threads.every(({ process }) => process !== NONE)) return { processes: settled, threads };
  return {
    processes: [...settled, unknownProcess],
    threads: threads.map((thread) =>
      thread.process === NONE ? { ...thread, process: settled.length } : thread,
    ),
  };
}

/** Takes its parent from one process of each circle. */
function cutCircles(parents: Int32Array): void {
  const checked = new Uint32Array(parents.length);
  for (let start = 0; start < parents.length; start++) {
    const walk = start + 1;
    let at = start;
    // Where an earlier walk came this way, it ended.
    for (; at !== NONE && checked[at] === 0; at = parents[at]) checked[at] = walk;
    if (at !== NONE && checked[at] === walk) parents[at] = NONE;
  }
}
