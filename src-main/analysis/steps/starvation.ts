import type { Rank } from '../../shared/answers/jobs.ts';
import type { Starvation } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { hostOfGpuWork, isGapOf } from '../../shared/model/hosts.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperFirst } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { keptCallsWords } from '../../shared/words/kept-words.ts';
import { keptCalls } from '../coverage/kept-events.ts';
import { emptySpans, SpanList, type Spans, spansLength, spansWithout } from '../index/spans.ts';
import { deviceWaits } from './device-waits.ts';
import { outstandingWork, WORK_NONE } from './outstanding-work.ts';

/** When a rank's device had nothing to do. */
export interface RankStarvation {
  readonly summary: Starvation;
  /** Proven idle, within the window; disjoint, in order. */
  readonly idle: Spans;
}

const LONGEST = 50;

/**
 * When the device of `rank` was without work in `window`. Exact from the GPU's own records. Else a
 * lower bound: from the return of the wait after which nothing known was outstanding on any stream,
 * up to the entry of the next call that submits. Busy is proven only while a thread waited for it.
 */
export function starvationOf(trace: Trace, rank: Rank, window: TimeSpan): RankStarvation {
  const lengthNs = Math.max(0, window[1] - window[0]);
  if (hasGpuRecords(trace, trace.processes[rank.process]?.host ?? 0))
    return fromRecords(trace, rank, window);
  const kept = keptCalls(trace);
  if (kept !== undefined) {
    const note = `${upperFirst(keptCallsWords[kept])}: when the GPU was without work is not known.`;
    return { summary: told('unknown', note, emptySpans, 0, lengthNs), idle: emptySpans };
  }
  const work = outstandingWork(trace, rank.process);
  const idle = new SpanList(window);
  work.startsNs.forEach((startNs, at) => {
    if (work.states[at] === WORK_NONE) idle.add(startNs, work.startsNs[at + 1] ?? Infinity);
  });
  const spans = withoutOutside(trace, rank, window, idle.spans());
  const busy = spansWithout(deviceWaits(trace, work, window), spans);
  const note = boundNote(spans);
  const basis = spans.startsNs.length > 0 || busy.startsNs.length > 0 ? 'bound' : 'unknown';
  return { summary: told(basis, note, spans, spansLength(busy), lengthNs), idle: spans };
}

function boundNote({ startsNs }: Spans): string {
  if (startsNs.length === 0)
    return 'Nowhere is it proven that all work given to the GPU was done: its idle time is not known.';
  return `At least this much, in ${plural(startsNs.length, 'stretch', 'stretches')}: from the return of a wait after which nothing was left to do, to the next call that gave the GPU work.`;
}

/** Before the first and after the last call the process may not use a device at all: that starves none. */
function withoutOutside(trace: Trace, rank: Rank, window: TimeSpan, idle: Spans): Spans {
  const { startNs, durationNs, thread } = trace.tables.cuda_call.columns;
  let firstNs = Infinity;
  let lastNs = -Infinity;
  for (let row = 0; row < startNs.length; row++) {
    if (trace.threads[thread[row]]?.process !== rank.process) continue;
    firstNs = Math.min(firstNs, startNs[row]);
    lastNs = Math.max(lastNs, startNs[row] + durationNs[row]);
  }
  const used = new SpanList([Math.max(window[0], firstNs), Math.min(window[1], lastNs)]);
  for (let at = 0; at < idle.startsNs.length; at++) used.add(idle.startsNs[at], idle.endsNs[at]);
  return used.spans();
}

/** Whether all that the GPUs of `host` ran is recorded. */
function hasGpuRecords(trace: Trace, host: number): boolean {
  const { gpu_work: work, gap } = trace.tables;
  if (work.rows === 0 || work.provenance.kind !== 'exact') return false;
  const isLossy = gap.columns.startNs.some(
    (_, row) =>
      isGapOf(trace, row, host) && mayHaveLost(trace, gap.columns.op?.[row] ?? -1, 'gpu_work'),
  );
  if (isLossy) return false;
  // Of several hosts, the records of one say nothing of another's GPUs.
  return (
    trace.hosts.length < 2 ||
    work.columns.startNs.some((_, row) => hostOfGpuWork(trace, row) === host)
  );
}

/** The GPU's records, of the rank's GPU where it is known. */
function fromRecords(trace: Trace, rank: Rank, window: TimeSpan): RankStarvation {
  const { startNs, durationNs, gpu } = trace.tables.gpu_work.columns;
  const busy = new SpanList(window);
  const host = trace.processes[rank.process]?.host ?? 0;
  for (let row = 0; row < startNs.length; row++) {
    if (rank.gpu !== undefined && gpu[row] !== rank.gpu) continue;
    if ((hostOfGpuWork(trace, row) ?? host) !== host) continue;
    busy.add(startNs[row], startNs[row] + durationNs[row]);
  }
  const whole = new SpanList(window);
  whole.add(window[0], window[1]);
  const idle = spansWithout(whole.spans(), busy.spans());
  const note = 'From the GPU’s own records of what it ran.';
  const busyNs = spansLength(busy.spans());
  return { summary: told('exact', note, idle, busyNs, Math.max(0, window[1] - window[0])), idle };
}

function told(
  basis: Starvation['basis'],
  note: string,
  idle: Spans,
  busyNs: number,
  lengthNs: number,
): Starvation {
  const idleNs = spansLength(idle);
  const longest = Array.from(idle.startsNs, (startNs, at): TimeSpan => [startNs, idle.endsNs[at]])
    .sort((a, b) => b[1] - b[0] - (a[1] - a[0]))
    .slice(0, LONGEST);
  return { basis, note, idleNs, busyNs, unknownNs: lengthNs - idleNs - busyNs, longest };
}
