import { codeOf, cudaLayers } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { BACKTRACE_CLASS, CALLS, CallStacks } from './callchains.ts';
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
    expected: tables.count(CALLS),
    optional: stacks.any ? [...optional, 'stack' as const] : optional,
  });
  const nameOf = callNames(strings, trace);
  let skipped = 0;
  const columns = [
    ...['start', 'end', 'eventClass', 'correlationId', 'nameId', 'returnValue', 'callchainId'],
    ...[processIn('globalTid'), threadIn('globalTid')],
  ];
  for (const { count, cells } of tables.pages(CALLS, columns)) {
    const [start, end, eventClass, correlation, nameId, returned, chain, pid, tid] = cells;
    for (let at = 0; at < count; at++) {
      if (eventClass[at] === BACKTRACE_CLASS) continue;
      const span = spanOf(start[at], end[at]);
      if (span === undefined) {
        skipped++;
        continue;
      }
      const { name, op, layer } = nameOf(nameId[at], eventClass[at]);
      const row = rows.add();
      rows.columns.startNs[row] = span.startNs;
      rows.columns.durationNs[row] = span.durationNs;
      rows.columns.thread[row] = tasks.thread(pid[at], tid[at]);
      rows.columns.op[row] = op;
      rows.columns.layer[row] = layer;
      const number = within(correlation[at], MAX_U32, 0);
      rows.columns.correlation[row] = number;
      if (stacks.any) rows.columns.stack[row] = stacks.of(chain[at], pid[at], number);
      syncs.noteCall(pid[at], number, name);
      rows.columns.returnCode[row] = within(returned[at], MAX_I32, -1);
    }
  }
  return { rows, skipped };
}

interface CallName {
  readonly name: string;
  /** Index into names. */
  readonly op: number;
  readonly layer: number;
}

/** What a call is called by the number of its name and its class: many rows have the same. */
function callNames(strings: ExportStrings, { names }: TraceBuilder) {
  const ofDriver = strings.memo();
  const ofOthers = strings.memo();
  const all: CallName[] = [];
  return (nameId: number, eventClass: number): CallName => {
    const known = eventClass === DRIVER_CLASS ? ofDriver : ofOthers;
    const found = known[nameId] ?? NONE;
    if (found !== NONE) return all[found];
    const name = strings.call(nameId);
    const isDriver = eventClass === DRIVER_CLASS || /^cu[A-Z]/.test(name);
    const op = names.add(name, isDriver ? 'DRIVER' : 'CUDA');
    const made = { name, op, layer: isDriver ? DRIVER : RUNTIME };
    if (nameId < known.length) known[nameId] = all.push(made) - 1;
    return made;
  };
}
