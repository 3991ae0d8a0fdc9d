import type {
  ActivityFigure,
  ProcessBreakdown,
  ThreadBreakdown,
} from '../../../src-main/shared/answers/process-breakdown.ts';
import { roles } from '../../../src-main/shared/model/trace.ts';

/** A row of the table: a process, or one of its threads below it. */
export type BreakdownRow =
  | { readonly kind: 'process'; readonly process: ProcessBreakdown; readonly depth: number }
  | {
      readonly kind: 'thread';
      readonly process: ProcessBreakdown;
      readonly thread: ThreadBreakdown;
      readonly depth: number;
    };

/** `tree`: who started whom. A figure: the most first. */
export type BreakdownOrder = 'tree' | ActivityFigure;

/** The processes in order, each with its threads where it is expanded. */
export function breakdownRows(
  processes: readonly ProcessBreakdown[],
  order: BreakdownOrder,
  expanded: ReadonlySet<number>,
): readonly BreakdownRow[] {
  const ordered = order === 'tree' ? inTree(processes) : byFigure(processes, order);
  return ordered.flatMap(({ process, depth }): BreakdownRow[] => [
    { kind: 'process', process, depth },
    ...(expanded.has(process.process)
      ? threadsOf(process, order).map(
          (thread): BreakdownRow => ({ kind: 'thread', process, thread, depth: depth + 1 }),
        )
      : []),
  ]);
}

interface Placed {
  readonly process: ProcessBreakdown;
  readonly depth: number;
}

function byFigure(processes: readonly ProcessBreakdown[], figure: ActivityFigure): Placed[] {
  return processes
    .toSorted((a, b) => (b[figure] ?? -1) - (a[figure] ?? -1) || a.pid - b.pid)
    .map((process) => ({ process, depth: 0 }));
}

function threadsOf({ threads }: ProcessBreakdown, order: BreakdownOrder): ThreadBreakdown[] {
  return order === 'tree'
    ? threads.toSorted((a, b) => a.tid - b.tid)
    : threads.toSorted((a, b) => (b[order] ?? -1) - (a[order] ?? -1) || a.tid - b.tid);
}

/** Deepest indent: below it a row says no more of who started whom. */
const MAX_DEPTH = 8;

/** Children below who started them, by role, rank and birth. Parents form no circles: see the analysis. */
function inTree(processes: readonly ProcessBreakdown[]): Placed[] {
  const shown = new Set(processes.map(({ process }) => process));
  const children = new Map<number, ProcessBreakdown[]>();
  for (const process of processes) {
    const parent = shown.has(process.parent) ? process.parent : -1;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [process]);
    else known.push(process);
  }
  for (const siblings of children.values()) siblings.sort(bySibling);
  const placed: Placed[] = [];
  const left: Placed[] = (children.get(-1) ?? [])
    .map((process) => ({ process, depth: 0 }))
    .reverse();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    placed.push(next);
    const depth = Math.min(next.depth + 1, MAX_DEPTH);
    const below = children.get(next.process.process) ?? [];
    for (const process of below.toReversed()) left.push({ process, depth });
  }
  return placed;
}

function bySibling(a: ProcessBreakdown, b: ProcessBreakdown): number {
  return (
    place(a) - place(b) ||
    (a.rank ?? 0) - (b.rank ?? 0) ||
    (a.startNs ?? 0) - (b.startNs ?? 0) ||
    a.pid - b.pid
  );
}

/** The launcher is above its ranks, also where it is not their parent. */
const place = ({ role }: ProcessBreakdown) => (role === 'launcher' ? -1 : roles.indexOf(role));
