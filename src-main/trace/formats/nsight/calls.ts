import { codeOf, cudaLayers } from '../../../shared/model/codes.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { BACKTRACE_CLASS, CallStacks } from './callchains.ts';
import { type ExportTables, processIn, threadIn, within } from './export-tables.ts';
import { spanOf } from './spans.ts';
import type { ExportStrings } from './strings.ts';
import type { ExportSyncs } from './syncs.ts';
import type { ExportTasks } from './tasks.ts';

const RUNTIME = codeOf(cudaLayers, 'runtime');
const DRIVER = codeOf(cudaLayers, 'driver');
/** `eventClass`: 0 of the runtime, 1 of the driver, 67 a second row that only carries a stack. */
const DRIVER_CLASS = 1;
const MAX_U32 = 2 ** 32 - 1;
const MAX_I32 = 2 ** 31 - 1;

/** Calls of CUDA's runtime and driver: one table has both. How many rows could not be used. */
export function addCalls(
  tables: ExportTables,
  strings: ExportStrings,
  tasks: ExportTasks,
  syncs: ExportSyncs,
  trace: TraceBuilder,
) {
  const stacks = new CallStacks(tables, strings, trace.stacks);
  const optional = ['parent', 'correlation', 'returnCode'] as const;
  const rows = trace.rows('cuda_call', {
    optional: stacks.any ? [...optional, 'stack' as const] : optional,
  });
  const { names } = trace;
  let skipped = 0;
  const columns = [
    ...['start', 'end', 'eventClass', 'correlationId', 'nameId', 'returnValue', 'callchainId'],
    ...[processIn('globalTid'), threadIn('globalTid')],
  ];
  for (const cells of tables.rows('CUPTI_ACTIVITY_KIND_RUNTIME', columns)) {
    const [start, end, eventClass, correlation, nameId, returned, chain, pid, tid] = cells;
    if (eventClass === BACKTRACE_CLASS) continue;
    const span = spanOf(start, end);
    if (span === undefined) {
      skipped++;
      continue;
    }
    const name = strings.call(nameId);
    const isDriver = eventClass === DRIVER_CLASS || /^cu[A-Z]/.test(name);
    const row = rows.add();
    rows.columns.startNs[row] = span.startNs;
    rows.columns.durationNs[row] = span.durationNs;
    rows.columns.thread[row] = tasks.thread(pid, tid);
    rows.columns.op[row] = names.add(name, isDriver ? 'DRIVER' : 'CUDA');
    rows.columns.layer[row] = isDriver ? DRIVER : RUNTIME;
    const number = within(correlation, MAX_U32, 0);
    rows.columns.correlation[row] = number;
    if (stacks.any) rows.columns.stack[row] = stacks.of(chain, pid, number);
    syncs.noteCall(pid, number, name);
    rows.columns.returnCode[row] = within(returned, MAX_I32, -1);
  }
  return { rows, skipped };
}
