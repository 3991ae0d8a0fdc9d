import { NONE } from '../../../shared/model/schema.ts';
import { longer } from '../../build/longer-array.ts';
import type { RowBuilder } from '../../build/rows.ts';
import { orderByStart } from '../../build/sort-rows.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { type ExportTables, processIn, threadIn, within } from './export-tables.ts';
import { momentOf } from './spans.ts';
import type { ExportTasks } from './tasks.ts';

const SWITCHES = 'SCHED_EVENTS';
const MAX_CPU = 65_535;

/** Moments at which threads came on a CPU or left it, a column each. */
class Moments {
  count = 0;
  atNs: Float64Array;
  threads: Int32Array;
  cpus: Int32Array;
  /** 1 = came on the CPU. */
  isIn: Uint8Array;

  constructor(expected: number) {
    this.atNs = new Float64Array(expected);
    this.threads = new Int32Array(expected);
    this.cpus = new Int32Array(expected);
    this.isIn = new Uint8Array(expected);
  }

  /** Makes room for so many more: a damaged file has more rows than it says. */
  reserve(count: number): void {
    const room = this.count + count;
    if (room <= this.atNs.length) return;
    this.atNs = longer(this.atNs, 2 * room);
    this.threads = longer(this.threads, 2 * room);
    this.cpus = longer(this.cpus, 2 * room);
    this.isIn = longer(this.isIn, 2 * room);
  }

  add(atNs: number, thread: number, cpu: number, isIn: boolean): void {
    const moment = this.count++;
    this.atNs[moment] = atNs;
    this.threads[moment] = thread;
    this.cpus[moment] = cpu;
    this.isIn[moment] = isIn ? 1 : 0;
  }
}

/**
 * When threads of the profiled processes held a CPU, and when not. What they waited for is not in the file: its
 * states are all "unknown", and nobody says who woke them. How many rows could not be used.
 */
export function addSwitches(tables: ExportTables, tasks: ExportTasks, trace: TraceBuilder) {
  const all = tables.count(SWITCHES);
  const moments = new Moments(all);
  let skipped = 0;
  const columns = ['start', 'cpu', 'isSchedIn', processIn('globalTid'), threadIn('globalTid')];
  for (const { count, cells } of tables.pages(SWITCHES, columns)) {
    const [start, cpu, isIn, pid, tid] = cells;
    moments.reserve(count);
    for (let at = 0; at < count; at++) {
      const atNs = momentOf(start[at]);
      const thread = tasks.thread(pid[at], tid[at]);
      if (atNs === undefined || thread === NONE) {
        skipped++;
        continue;
      }
      moments.add(atNs, thread, within(cpu[at], MAX_CPU, NONE), isIn[at] !== 0);
    }
  }
  const expected = Math.ceil(all / 2);
  const on = trace.rows('on_cpu', { expected });
  const off = trace.rows('off_cpu', { expected, optional: ['cpuOut', 'cpuIn'] });
  addBetween(moments, on, off);
  return { on, off, skipped };
}

/** What a thread did from each of its moments to the next. */
function addBetween(
  { count, atNs, threads, cpus, isIn }: Moments,
  on: RowBuilder<'on_cpu', never>,
  off: RowBuilder<'off_cpu', 'cpuOut' | 'cpuIn'>,
): void {
  const order = orderByStart(atNs.subarray(0, count));
  /** By thread, its moment before. */
  const before = new Int32Array(threads.reduce((most, thread) => Math.max(most, thread), 0) + 1);
  before.fill(NONE);
  for (let nth = 0; nth < count; nth++) {
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
