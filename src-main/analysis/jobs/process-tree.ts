import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo } from '../../shared/model/trace.ts';

/** Who started whom. Walks end whatever a file says: a parent that would close a circle is dropped. */
export interface ProcessTree {
  /** Parent of each process; -1 = not known. */
  readonly parents: Int32Array;
  /** Every process once, parents before their children. */
  readonly order: Uint32Array;
}

export function processTree(processes: readonly ProcessInfo[]): ProcessTree {
  const parents = withoutCircles(processes);
  return { parents, order: parentsFirst(parents) };
}

/** Whether `process` is `above`, or was started by it, directly or not. */
export function descendsFrom(
  { parents }: Pick<ProcessTree, 'parents'>,
  process: number,
  above: number,
): boolean {
  for (let at = process; at !== NONE; at = parents[at] ?? NONE) if (at === above) return true;
  return false;
}

function withoutCircles(processes: readonly ProcessInfo[]): Int32Array {
  const parents = Int32Array.from(processes, ({ parent }) =>
    parent >= 0 && parent < processes.length ? parent : NONE,
  );
  const seenBy = new Uint32Array(processes.length);
  for (let process = 0; process < parents.length; process++) {
    const walk = process + 1;
    for (let at = process; at !== NONE && seenBy[at] === 0; at = parents[at]) {
      seenBy[at] = walk;
      if (parents[at] !== NONE && seenBy[parents[at]] === walk) parents[at] = NONE;
    }
  }
  return parents;
}

function parentsFirst(parents: Int32Array): Uint32Array {
  const order = new Uint32Array(parents.length);
  const isPlaced = new Uint8Array(parents.length);
  const path: number[] = [];
  let placed = 0;
  for (let process = 0; process < parents.length; process++) {
    for (let at = process; at !== NONE && isPlaced[at] === 0; at = parents[at]) {
      isPlaced[at] = 1;
      path.push(at);
    }
    while (path.length > 0) order[placed++] = path.pop() as number;
  }
  return order;
}
