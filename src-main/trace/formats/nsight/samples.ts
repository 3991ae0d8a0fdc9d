import { codeOf, cpuModes } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { Chains } from './callchains.ts';
import { type ExportTables, processIn, threadIn } from './export-tables.ts';
import { momentOf } from './spans.ts';
import type { ExportStrings } from './strings.ts';
import type { ExportTasks } from './tasks.ts';

const SAMPLES = 'COMPOSITE_EVENTS';
const USER = codeOf(cpuModes, 'user');
const KERNEL = codeOf(cpuModes, 'kernel');

/** Samples of the CPUs with the stacks they found. How many rows could not be used. */
export function addSamples(
  tables: ExportTables,
  strings: ExportStrings,
  tasks: ExportTasks,
  trace: TraceBuilder,
) {
  const rows = trace.rows('cpu_sample', {
    expected: tables.count(SAMPLES),
    optional: ['mode', 'stack'],
  });
  const chains = new Chains(tables, 'SAMPLING_CALLCHAINS', strings, trace.stacks);
  let skipped = 0;
  const columns = ['id', 'start', processIn('globalTid'), threadIn('globalTid')];
  for (const { count, cells } of tables.pages(SAMPLES, columns)) {
    const [id, start, pid, tid] = cells;
    for (let at = 0; at < count; at++) {
      const startNs = momentOf(start[at]);
      if (startNs === undefined) {
        skipped++;
        continue;
      }
      const chain = chains.numberOf(id[at]);
      const row = rows.add();
      rows.columns.startNs[row] = startNs;
      rows.columns.thread[row] = tasks.thread(pid[at], tid[at]);
      if (chain === NONE) continue;
      rows.columns.mode[row] = chains.inKernel[chain] === 1 ? KERNEL : USER;
      rows.columns.stack[row] = chains.stacks[chain];
    }
  }
  return { rows, skipped };
}
