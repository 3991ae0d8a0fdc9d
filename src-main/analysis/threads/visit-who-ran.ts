import { isPreempted } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { quotaUntilNs } from './quota-samples.ts';

/** Instead of a thread: nobody knows who ran. */
const NOBODY_KNOWN = -1;
/** Instead of a thread: by samples of its control group a CPU quota held it back. */
export const HELD_BY_QUOTA = -2;

/**
 * Called for each stretch of a wait for a CPU, in order per CPU. `who` is the thread that ran on that
 * CPU (the idle task among them, see isIdleTask), NOBODY_KNOWN or HELD_BY_QUOTA; `cpu` and `slice`, the
 * row of on_cpu, are then -1.
 */
export type WhoRanVisitor = (
  startNs: number,
  endNs: number,
  who: number,
  cpu: number,
  slice: number,
) => void;

/**
 * Who ran while the thread of row `row` of off_cpu was ready over [startNs, endNs), a part of that
 * row in which no quota held it back. The stretches tile it. A preempted thread waits for the CPU it
 * left, a woken one for that it came back on. Slices are recorded wherever a recorded thread waits:
 * time that those of one CPU do not cover was spent in the queue of another.
 */
export function visitWhoRan(
  trace: Trace,
  row: number,
  startNs: number,
  endNs: number,
  visit: WhoRanVisitor,
): void {
  const { state, cpuOut, cpuIn } = trace.tables.off_cpu.columns;
  const left = cpuOut?.[row] ?? -1;
  const back = cpuIn?.[row] ?? -1;
  const [first, second] = isPreempted(state?.[row] ?? -1) ? [left, back] : [back, left];
  const visitNobody = (fromNs: number, toNs: number) => {
    const freeNs = quotaUntilNs(trace, fromNs, toNs);
    if (freeNs > fromNs) visit(fromNs, freeNs, HELD_BY_QUOTA, -1, -1);
    if (toNs > freeNs) visit(freeNs, toNs, NOBODY_KNOWN, -1, -1);
  };
  visitCpu(trace, row, first, startNs, endNs, visit, (fromNs, toNs) => {
    if (second === first) visitNobody(fromNs, toNs);
    else visitCpu(trace, row, second, fromNs, toNs, visit, visitNobody);
  });
}

/** The slices of others on `cpu`; what they leave uncovered goes to `uncovered`. */
function visitCpu(
  trace: Trace,
  row: number,
  cpu: number,
  startNs: number,
  endNs: number,
  visit: WhoRanVisitor,
  uncovered: (startNs: number, endNs: number) => void,
): void {
  const { columns } = trace.tables.on_cpu;
  const self = trace.tables.off_cpu.columns.thread[row];
  let reachedNs = startNs;
  if (cpu >= 0 && trace.tables.on_cpu.rows > 0) {
    const { rows, startsNs, latestEndsNs } = traceIndex(trace).slicesOn(cpu);
    const end = startsNs.lowerBound(endNs);
    for (let at = latestEndsNs.upperBound(startNs); at < end && reachedNs < endNs; at++) {
      const slice = rows[at];
      const fromNs = Math.max(columns.startNs[slice], reachedNs);
      const toNs = Math.min(columns.startNs[slice] + columns.durationNs[slice], endNs);
      if (toNs <= fromNs || columns.thread[slice] === self) continue;
      if (fromNs > reachedNs) uncovered(reachedNs, fromNs);
      visit(fromNs, toNs, columns.thread[slice], cpu, slice);
      reachedNs = toNs;
    }
  }
  if (endNs > reachedNs) uncovered(reachedNs, endNs);
}

const idleTasks = perTrace((trace) =>
  Uint8Array.from(trace.threads, ({ tid, process }) =>
    Number(tid === 0 || trace.processes[process]?.pid === 0),
  ),
);

/** Whether `thread` is what a CPU runs when there is nothing to run. */
export function isIdleTask(trace: Trace, thread: number): boolean {
  return idleTasks(trace)[thread] === 1;
}
