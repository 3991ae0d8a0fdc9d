import { NONE } from '../../../shared/model/schema.ts';
import type { RowBuilder } from '../../build/rows.ts';
import { orderByStart } from '../../build/sort-rows.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { type ExportTables, processIn, threadIn, within } from './export-tables.ts';
import { momentOf } from './spans.ts';
import type { ExportTasks } from './tasks.ts';

const SWITCHES = 'SCHED_EVENTS';
const MAX_CPU = 65_535;

/** Moments at which threads came on a CPU or left it, a column each. */
interface Moments {
  readonly atNs: number[];
  readonly threads: number[];
  readonly cpus: number[];
  /** 1 = came on the CPU. */
  readonly isIn: number[];
}

/**
 * When threads of the profiled processes held a CPU, and when not. What they waited for is not in the file: its
 * states are all "unknown", and nobody says who woke them. How many rows could not be used.
 */
export function addSwitches(tables: ExportTables, tasks: ExportTasks, trace: TraceBuilder) {
  const moments: Moments = { atNs: [], threads: [], cpus: [], isIn: [] };
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
      moments.atNs.push(atNs);
      moments.threads.push(thread);
      moments.cpus.push(within(cpu[at], MAX_CPU, NONE));
      moments.isIn.push(isIn[at] === 0 ? 0 : 1);
    }
  }
  const expected = Math.ceil(tables.count(SWITCHES) / 2);
  const on = trace.rows('on_cpu', { expected });
  const off = trace.rows('off_cpu', { expected, optional: ['cpuOut', 'cpuIn'] });
  addBetween(moments, on, off);
  return { on, off, skipped };
}

/** What a thread did from each of its moments to the next. */
function addBetween(
  { atNs, threads, cpus, isIn }: Moments,
  on: RowBuilder<'on_cpu', never>,
  off: RowBuilder<'off_cpu', 'cpuOut' | 'cpuIn'>,
): void {
  const order = orderByStart(Float64Array.from(atNs));
  /** By thread, its moment before. */
  const before = new Int32Array(threads.reduce((most, thread) => Math.max(most, thread), 0) + 1);
  before.fill(NONE);
  for (let nth = 0; nth < atNs.length; nth++) {
    const to = order === undefined ? nth : order[nth];
    const thread = threads[to];
    const from = before[thread];
    before[thread] = to;
    // Two of one kind: a switch between them was lost, and nobody knows when.
    if (from === NONE || isIn[from] === isIn[to]) continue;
    const rows = isIn[from] === 1 ? on : off;
    const row = rows.add();
    rows.columns.startNs[row] = atNs[from];
    rows.columns.durationNs[row] = atNs[to] - atNs[from];
    rows.columns.thread[row] = thread;
    if (isIn[from] === 1) on.columns.cpu[row] = cpus[from];
    else {
      off.columns.cpuOut[row] = cpus[from];
      off.columns.cpuIn[row] = cpus[to];
    }
  }
}
