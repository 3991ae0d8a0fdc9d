import { codeOf, cpuModes } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { MAX_FRAMES_PER_STACK } from '../../build/stacks.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, processIn, threadIn, within } from './export-tables.ts';
import { momentOf } from './spans.ts';
import type { ExportStrings } from './strings.ts';
import type { ExportTasks } from './tasks.ts';

const USER = codeOf(cpuModes, 'user');
const KERNEL = codeOf(cpuModes, 'kernel');

interface Chain {
  /** Numbers of frames by depth, 0 = the innermost. */
  readonly frames: number[];
  isKernel: boolean;
}

/** Samples of the CPUs with the stacks they found. How many rows could not be used. */
export function addSamples(
  tables: ExportTables,
  strings: ExportStrings,
  tasks: ExportTasks,
  trace: TraceBuilder,
) {
  const rows = trace.rows('cpu_sample', { optional: ['mode', 'stack'] });
  const chains = readChains(tables, strings, trace);
  let skipped = 0;
  const columns = ['id', 'start', processIn('globalTid'), threadIn('globalTid')];
  for (const [id, start, pid, tid] of tables.rows('COMPOSITE_EVENTS', columns)) {
    const startNs = momentOf(start);
    if (startNs === undefined) {
      skipped++;
      continue;
    }
    const chain = typeof id === 'number' ? chains.get(id) : undefined;
    const row = rows.add();
    rows.columns.startNs[row] = startNs;
    rows.columns.thread[row] = tasks.thread(pid, tid);
    if (chain === undefined) continue;
    rows.columns.mode[row] = chain.isKernel ? KERNEL : USER;
    rows.columns.stack[row] = trace.stacks.stackOf(chain.frames.filter(() => true));
  }
  return { rows, skipped };
}

/** By the sample’s id; a depth that is missing leaves a hole. */
function readChains(
  tables: ExportTables,
  strings: ExportStrings,
  trace: TraceBuilder,
): Map<number, Chain> {
  const chains = new Map<number, Chain>();
  const { stacks } = trace;
  const columns = ['id', 'symbol', 'module', 'kernelMode', 'stackDepth'];
  for (const [id, symbol, module, kernelMode, depth] of tables.rows(
    'SAMPLING_CALLCHAINS',
    columns,
  )) {
    const place = within(depth, MAX_FRAMES_PER_STACK - 1, NONE);
    if (typeof id !== 'number' || place === NONE) continue;
    const chain = chains.get(id) ?? { frames: [], isKernel: false };
    chains.set(id, chain);
    if (place === 0) chain.isKernel = kernelMode === 1;
    chain.frames[place] = stacks.frame(
      stacks.text(strings.of(symbol)),
      fileOf(module),
      NONE,
      'native',
    );
  }
  return chains;

  function fileOf(module: Cell | undefined): number {
    const file = strings.find(module);
    return file === undefined ? NONE : stacks.text(file);
  }
}
