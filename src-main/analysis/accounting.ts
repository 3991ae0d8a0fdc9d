import type { AccountingPart, OffCpuSpan } from '../shared/explanation.ts';
import type { Columns } from '../shared/model/columns.ts';
import { formatDuration, plural } from '../shared/units.ts';
import { firstAbove, type ThreadSwitches } from './thread-switches.ts';

/** The off-CPU rows of a thread that overlap [startNs, endNs), in order of start. */
export function overlappingSpans(
  columns: Columns<'off_cpu'>,
  switches: ThreadSwitches,
  startNs: number,
  endNs: number,
): OffCpuSpan[] {
  const spans: OffCpuSpan[] = [];
  const first = firstAbove(switches.latestEndsNs, startNs);
  const end = firstAbove(switches.startsNs, endNs, true);
  for (let at = first; at < end; at++) {
    const row = switches.rows[at];
    const spanStartNs = columns.startNs[row];
    const durationNs = columns.durationNs[row];
    const overlapNs = Math.min(spanStartNs + durationNs, endNs) - Math.max(spanStartNs, startNs);
    if (overlapNs > 0) spans.push({ row, startNs: spanStartNs, durationNs, overlapNs });
  }
  return spans;
}

/** Off-CPU time inside a call by what the thread waited for; `unknownNs` where that was not recorded. */
export interface OffCpuTime {
  readonly runnableNs: number;
  readonly blockedNs: number;
  readonly unknownNs: number;
}

/**
 * Splits the union of `spans` inside [startNs, endNs), so that spans which overlap are not counted
 * twice. The end part of a span was spent runnable: from the wake-up, or from the very beginning of
 * a preemption, to the switch-in.
 */
export function splitOffCpu(
  spans: readonly OffCpuSpan[],
  runQueue: Float64Array | undefined,
  startNs: number,
  endNs: number,
): OffCpuTime {
  let [runnableNs, blockedNs, unknownNs] = [0, 0, 0];
  let reachedNs = startNs;
  for (const span of spans.toSorted((a, b) => a.startNs - b.startNs)) {
    const backNs = span.startNs + span.durationNs;
    const from = Math.max(span.startNs, reachedNs);
    const to = Math.min(backNs, endNs);
    if (to <= from) continue;
    const waitedNs = runQueue?.[span.row] ?? -1;
    const readyNs = Math.min(to, Math.max(from, backNs - waitedNs));
    if (waitedNs < 0) unknownNs += to - from;
    else {
      blockedNs += readyNs - from;
      runnableNs += to - readyNs;
    }
    reachedNs = to;
  }
  return { runnableNs, blockedNs, unknownNs };
}

/** What is known of where a call's time went, before it is put in words. */
export interface CallTime {
  readonly startNs: number;
  readonly durationNs: number;
  readonly spans: readonly OffCpuSpan[];
  /** Whether time outside the spans was spent on a CPU. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly note: string;
  /** What the thread did while on a CPU: `copying or waiting for the GPU`, or nothing. */
  readonly runningAs: string;
  /** Off-CPU time the recorder measured around this very call, where it did. */
  readonly measuredOffCpuNs?: number;
}

/** The parts of a call's time: disjoint, none empty, their sum its duration to the ns. */
export function accountCall(call: CallTime, columns: Columns<'off_cpu'>): AccountingPart[] {
  const parts =
    call.complete || call.measuredOffCpuNs === undefined
      ? partsOfSpans(call, columns)
      : partsAsMeasured(call, call.measuredOffCpuNs, columns);
  return parts.filter((part) => part.ns > 0);
}

function partsOfSpans(call: CallTime, columns: Columns<'off_cpu'>): AccountingPart[] {
  const time = offCpuOf(call, columns);
  const restNs = call.durationNs - time.runnableNs - time.blockedNs - time.unknownNs;
  return [
    {
      kind: 'runnable',
      ns: time.runnableNs,
      reason: 'from its wake-up, or from losing the CPU, until it ran again',
    },
    { kind: 'blocked', ns: time.blockedNs, reason: 'from giving up the CPU until its wake-up' },
    { kind: 'off-cpu', ns: time.unknownNs, reason: 'what it waited for is not recorded' },
    call.complete
      ? {
          kind: 'running',
          ns: restNs,
          reason: runningReason('not switched off the CPU', call.runningAs),
        }
      : { kind: 'unexplained', ns: restNs, reason: call.note },
  ];
}

/** The recorder measured off-CPU time around this very call, while its single switches are not all here. */
function partsAsMeasured(
  call: CallTime,
  measuredNs: number,
  columns: Columns<'off_cpu'>,
): AccountingPart[] {
  const { runnableNs, blockedNs, unknownNs } = offCpuOf(call, columns);
  const offCpuNs = Math.max(runnableNs + blockedNs + unknownNs, measuredNs);
  const ns = Math.min(call.durationNs, offCpuNs);
  return [
    { kind: 'off-cpu', ns, reason: 'as the recorder measured around this call' },
    {
      kind: 'running',
      ns: call.durationNs - ns,
      reason: runningReason('what that leaves of the call', call.runningAs),
    },
  ];
}

function offCpuOf({ spans, startNs, durationNs }: CallTime, columns: Columns<'off_cpu'>) {
  return splitOffCpu(spans, columns.runQueueNs, startNs, startNs + durationNs);
}

function runningReason(known: string, runningAs: string): string {
  return runningAs === '' ? known : `${known} (${runningAs})`;
}

/** `in 6 stretches, the longest 22.86 ms`. */
export function stretchesText(spans: readonly OffCpuSpan[]): string {
  if (spans.length <= 1) return 'in 1 stretch';
  const longestNs = spans.reduce((longest, span) => Math.max(longest, span.overlapNs), 0);
  return `in ${plural(spans.length, 'stretch', 'stretches')}, the longest ${formatDuration(longestNs)}`;
}
