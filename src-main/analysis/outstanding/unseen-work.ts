import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import { isGapOf } from '../../shared/model/hosts.ts';
import { lostLaunchesOnly, mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { opKinds } from '../loop/loop-calls.ts';

/** Time in which a process may have made CUDA calls that are not in the trace. */
export interface UnseenSpan {
  readonly startNs: number;
  readonly endNs: number;
  /** Whether waits may be missing too, not only what submits work. */
  readonly hidesWaits: boolean;
}

/**
 * When `process` may have given its device work that is not in the trace: before it was traced, in
 * gaps, and where launches were counted only. In order of begin; may overlap.
 */
export function unseenSpans(trace: Trace, process: number): UnseenSpan[] {
  const { kind } = trace.tables.cuda_call.provenance;
  if (kind !== 'exact') return [{ startNs: -Infinity, endNs: Infinity, hidesWaits: true }];
  const spans = [
    ...gaps(trace, trace.processes[process]?.host ?? 0),
    ...countedOnly(trace, process),
  ];
  if (!tracedFromStart(trace, process))
    spans.push({ startNs: -Infinity, endNs: 0, hidesWaits: true });
  return spans.sort((a, b) => (a.startNs < b.startNs ? -1 : 1));
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

function gaps(trace: Trace, host: number): UnseenSpan[] {
  const { columns, rows } = trace.tables.gap;
  const spans: UnseenSpan[] = [];
  for (let row = 0; row < rows; row++) {
    const op = columns.op?.[row] ?? -1;
    if (mayHaveLost(trace, op, 'cuda_call') && isGapOf(trace, row, host))
      spans.push({
        startNs: columns.startNs[row],
        endNs: columns.startNs[row] + columns.durationNs[row],
        hidesWaits: !lostLaunchesOnly(trace, op),
      });
  }
  return spans;
}

/** Buckets in which launches were counted, not all of them stored. */
function countedOnly(trace: Trace, process: number): UnseenSpan[] {
  const { columns, rows } = trace.tables.aggregate;
  const kinds = opKinds(trace);
  const spans: UnseenSpan[] = [];
  const launches = new Map<number, Float64Array>();
  for (let row = 0; row < rows; row++) {
    const thread = columns.thread[row];
    if (trace.threads[thread]?.process !== process) continue;
    if (kinds[columns.op[row]] === 'other' || columns.stored?.[row] === columns.count[row])
      continue;
    const bucketNs = columns.startNs[row];
    const endNs = bucketNs + columns.durationNs[row];
    const starts = launches.get(thread) ?? launchStarts(trace, thread);
    launches.set(thread, starts);
    const startNs = storedUntil(trace, starts, bucketNs, endNs);
    spans.push({ startNs, endNs, hidesWaits: false });
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
  if (meta.format !== 'Stalltrace' || meta.convertedFrom !== undefined) return fromNs;
  return Math.max(fromNs, launchStartsNs[lowerBound(launchStartsNs, toNs) - 1] ?? fromNs);
}

function launchStarts(trace: Trace, thread: number): Float64Array {
  const { op, startNs } = trace.tables.cuda_call.columns;
  const kinds = opKinds(trace);
  const { rows } = traceIndex(trace).rowsOf('cuda_call', thread);
  const launches = rows.filter((row) => kinds[op[row]] === 'launch');
  return Float64Array.from(launches, (row) => startNs[row]);
}
