import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { TimeSpan } from '../../shared/summary.ts';
import { firstAbove } from '../thread-switches.ts';
import { opKinds } from './loop-calls.ts';

/**
 * When `process` may have given its device work that is not in the trace: before it was traced, in
 * gaps, and where launches were counted only. In order of begin; may overlap.
 */
export function unseenSpans(trace: Trace, process: number): TimeSpan[] {
  const { kind } = trace.tables.cuda_call.provenance;
  if (kind !== 'exact') return [[-Infinity, Infinity]];
  const spans = [...gaps(trace), ...countedOnly(trace, process)];
  if (!tracedFromStart(trace, process)) spans.push([-Infinity, 0]);
  return spans.sort((a, b) => a[0] - b[0]);
}

/** Whether the trace holds the process's birth, or the moment its program began. */
function tracedFromStart(trace: Trace, process: number): boolean {
  if (trace.processes[process]?.startNs !== undefined) return true;
  const { thread, kind } = trace.tables.process_event.columns;
  const exec = codeOf(processEventKinds, 'exec');
  for (let row = 0; row < kind.length; row++)
    if (kind[row] === exec && trace.threads[thread[row]]?.process === process) return true;
  return false;
}

function gaps(trace: Trace): TimeSpan[] {
  const { columns, rows } = trace.tables.gap;
  const spans: TimeSpan[] = [];
  for (let row = 0; row < rows; row++)
    if (mayHaveLost(trace, columns.op?.[row] ?? -1, 'cuda_call'))
      spans.push([columns.startNs[row], columns.startNs[row] + columns.durationNs[row]]);
  return spans;
}

/** Buckets in which launches were counted, not all of them stored. */
function countedOnly(trace: Trace, process: number): TimeSpan[] {
  const { columns, rows } = trace.tables.aggregate;
  const kinds = opKinds(trace);
  const spans: TimeSpan[] = [];
  const launches = new Map<number, Float64Array>();
  for (let row = 0; row < rows; row++) {
    const thread = columns.thread[row];
    if (trace.threads[thread]?.process !== process) continue;
    if (kinds[columns.op[row]] === 'other' || columns.stored?.[row] === columns.count[row])
      continue;
    const startNs = columns.startNs[row];
    const endNs = startNs + columns.durationNs[row];
    const starts = launches.get(thread) ?? launchStarts(trace, thread);
    launches.set(thread, starts);
    spans.push([storedUntil(trace, starts, startNs, endNs), endNs]);
  }
  return spans;
}

/** This project's agent stores the first launches of a bucket, then counts: none is missing before. */
function storedUntil(
  { meta }: Trace,
  launchStartsNs: Float64Array,
  fromNs: number,
  toNs: number,
): number {
  if (meta.format !== 'Stalltrace') return fromNs;
  return Math.max(fromNs, launchStartsNs[firstAbove(launchStartsNs, toNs, true) - 1] ?? fromNs);
}

function launchStarts(trace: Trace, thread: number): Float64Array {
  const { startNs, op, thread: threads } = trace.tables.cuda_call.columns;
  const kinds = opKinds(trace);
  return startNs.filter((_, row) => threads[row] === thread && kinds[op[row]] === 'launch');
}
