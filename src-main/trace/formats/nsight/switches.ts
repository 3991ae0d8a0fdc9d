import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { type ExportTables, processIn, threadIn, within } from './export-tables.ts';
import { momentOf } from './spans.ts';
import type { ExportTasks } from './tasks.ts';

const SWITCHES = 'SCHED_EVENTS';
const MAX_CPU = 65_535;

/** Moments at which a thread came on a CPU or left it. */
interface Switches {
  readonly moments: { readonly atNs: number; readonly cpu: number; readonly isIn: boolean }[];
}

/**
 * When threads of the profiled processes held a CPU, and when not. What they waited for is not in the file: its
 * states are all "unknown", and nobody says who woke them. How many rows could not be used.
 */
export function addSwitches(tables: ExportTables, tasks: ExportTasks, trace: TraceBuilder) {
  const byThread = new Map<number, Switches>();
  let skipped = 0;
  const columns = ['start', 'cpu', 'isSchedIn', processIn('globalTid'), threadIn('globalTid')];
  for (const { count, cells } of tables.pages(SWITCHES, columns)) {
    const [start, cpu, isIn, pid, tid] = cells;
    for (let at = 0; at < count; at++) {
      const atNs = momentOf(start[at]);
      const thread = tasks.thread(pid[at], tid[at]);
      if (atNs === undefined || thread === NONE) {
        skipped++;
        continue;
      }
      const known = byThread.get(thread) ?? { moments: [] };
      byThread.set(thread, known);
      known.moments.push({ atNs, cpu: within(cpu[at], MAX_CPU, NONE), isIn: isIn[at] !== 0 });
    }
  }
  const expected = Math.ceil(tables.count(SWITCHES) / 2);
  const on = trace.rows('on_cpu', { expected });
  const off = trace.rows('off_cpu', { expected, optional: ['cpuOut', 'cpuIn'] });
  for (const [thread, { moments }] of byThread) {
    moments.sort((a, b) => a.atNs - b.atNs);
    for (let at = 0; at + 1 < moments.length; at++) {
      const [from, to] = [moments[at], moments[at + 1]];
      // Two of one kind: a switch between them was lost, and nobody knows when.
      if (from.isIn === to.isIn) continue;
      const durationNs = to.atNs - from.atNs;
      if (from.isIn) {
        const row = on.add();
        on.columns.startNs[row] = from.atNs;
        on.columns.durationNs[row] = durationNs;
        on.columns.thread[row] = thread;
        on.columns.cpu[row] = from.cpu;
      } else {
        const row = off.add();
        off.columns.startNs[row] = from.atNs;
        off.columns.durationNs[row] = durationNs;
        off.columns.thread[row] = thread;
        off.columns.cpuOut[row] = from.cpu;
        off.columns.cpuIn[row] = to.cpu;
      }
    }
  }
  return { on, off, skipped };
}
