import type { EventRef } from '../../shared/model/event-ref.ts';
import { NONE } from '../../shared/model/schema.ts';
import { findRow, frameAt, isPython } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { traceIndex } from '../index/trace-index.ts';
import { samplesWithin } from '../stacks/hot-lines.ts';
import { isOwnCode } from '../stacks/loader-stacks.ts';
import { placeText } from '../stacks/place-text.ts';

/** What a thread did while it ran: one clause, and the event that shows it. */
export interface Activity {
  readonly reason: string;
  readonly event?: EventRef;
}

/** What `thread` ran over [startNs, endNs): the CUDA call it was in for most of it, else its Python line. */
export function activityOf(trace: Trace, thread: number, startNs: number, endNs: number): Activity {
  const call = longestCall(trace, thread, startNs, endNs);
  if (call >= 0) {
    const name = cleanText(trace.names[trace.tables.cuda_call.columns.op[call]] ?? '', 80);
    return { reason: `ran in ${name}`, event: { table: 'cuda_call', row: call } };
  }
  const sample = samplesWithin(trace, thread, [startNs, endNs]).at(0);
  const line = sample === undefined ? undefined : lineOf(trace, sample);
  if (sample === undefined || line === undefined) return { reason: 'ran on a CPU' };
  return { reason: `ran ${line}`, event: { table: 'cpu_sample', row: sample } };
}

/** The outermost call that takes more than half of the time; -1 = none does. */
function longestCall(trace: Trace, thread: number, startNs: number, endNs: number): number {
  const { columns } = trace.tables.cuda_call;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).rowsOf('cuda_call', thread);
  const end = startsNs.lowerBound(endNs);
  for (let at = latestEndsNs.upperBound(startNs); at < end; at++) {
    const call = rows[at];
    const fromNs = Math.max(startNs, columns.startNs[call]);
    const toNs = Math.min(endNs, columns.startNs[call] + columns.durationNs[call]);
    if ((toNs - fromNs) * 2 > endNs - startNs) return call;
  }
  return -1;
}

/** The outermost call that [startNs, endNs) lies in; -1 = none. */
export function callOver(trace: Trace, thread: number, startNs: number, endNs: number): number {
  const call = longestCall(trace, thread, startNs, endNs);
  if (call < 0) return -1;
  const { columns } = trace.tables.cuda_call;
  const callEndNs = columns.startNs[call] + columns.durationNs[call];
  return columns.startNs[call] <= startNs && endNs <= callEndNs ? call : -1;
}

/** The line of a CPU sample: of the job's own code where it has any, else the innermost Python line. */
export function lineOf(trace: Trace, sample: number): string | undefined {
  return lineOfStack(trace, trace.tables.cpu_sample.columns.stack?.[sample] ?? NONE);
}

/** The same of the stack with which a thread left the CPU: row `row` of off_cpu, or -1. */
export function lineOfWait(trace: Trace, row: number): string | undefined {
  return lineOfStack(trace, trace.tables.off_cpu.columns.stack?.[row] ?? NONE);
}

function lineOfStack({ stacks }: Trace, stack: number): string | undefined {
  const own = findRow(stacks, stack, (frame) => isOwnCode(frameAt(stacks, frame)));
  const at = own >= 0 ? own : findRow(stacks, stack, (frame) => isPython(stacks, frame));
  return at < 0 ? undefined : placeText(stacks, stacks.frame[at]);
}
