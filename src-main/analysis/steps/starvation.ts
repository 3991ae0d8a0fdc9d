import type { Rank } from '../../shared/answers/jobs.ts';
import type { IdleStretches } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperFirst } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { keptCallsWords } from '../../shared/words/kept-words.ts';
import { keptCalls } from '../coverage/kept-events.ts';
import { wholeSpan } from '../gpu/device-spans.ts';
import { recordLimits } from '../gpu/record-limits.ts';
import { emptySpans, SpanList, type Spans, spansLength, spansWithout } from '../index/spans.ts';
import { deviceWaits } from '../outstanding/device-waits.ts';
import { WORK_NONE } from '../outstanding/open-streams.ts';
import { outstandingWork } from '../outstanding/outstanding-work.ts';
import { type RankStarvation, starvationByRecords, told } from './recorded-starvation.ts';

/**
 * When the device of `rank` was without work in `window`. Exact from the GPU's own records. Else a
 * lower bound: from the return of the wait after which nothing known was outstanding on any stream,
 * up to the entry of the next call that submits. Busy is proven only while a thread waited for it.
 */
export function starvationOf(trace: Trace, rank: Rank, window: TimeSpan): RankStarvation {
  const lengthNs = Math.max(0, window[1] - window[0]);
  const limits = recordLimits(trace, rank.process);
  if (limits.blind === undefined) return starvationByRecords(trace, rank, window, limits.unseen);
  const least = limits.isLeast === true && { computingLeastNs: leastOf(trace, rank, window) };
  const kept = keptCalls(trace);
  if (kept !== undefined) {
    const note = `${upperFirst(keptCallsWords[kept])}: when the GPU was without work is not known.`;
    const summary = told('unknown', note, emptySpans, 0, lengthNs);
    return { summary: { ...summary, ...least }, idle: emptySpans };
  }
  const work = outstandingWork(trace, rank.process);
  const idle = new SpanList(window);
  work.startsNs.forEach((startNs, at) => {
    if (work.states[at] === WORK_NONE) idle.add(startNs, work.startsNs[at + 1] ?? Infinity);
  });
  const spans = withoutOutside(trace, rank, window, idle.spans());
  const busy = spansWithout(deviceWaits(trace, work, window), spans);
  const note = boundNote(spans) + blindNote(trace, limits.blind);
  const basis = spans.startsNs.length > 0 || busy.startsNs.length > 0 ? 'bound' : 'unknown';
  const summary = {
    ...told(basis, note, spans, spansLength(busy), lengthNs),
    ...(spans.startsNs.length > 0 && { stretches: stretchesOf(spans) }),
    ...least,
  };
  return { summary, idle: spans };
}

/** How long each device of the rank computed, by records of which any may be missing. */
function leastOf(trace: Trace, rank: Rank, window: TimeSpan): number {
  const { recorded } = starvationByRecords(trace, rank, window, wholeSpan(window)).summary;
  const computed = recorded?.devices.map(({ computingNs }) => computingNs) ?? [];
  return computed.length === 0 ? 0 : Math.min(...computed);
}

const MOST_STRETCHES = 2_000;

function stretchesOf({ startsNs, endsNs }: Spans): IdleStretches {
  const all = Array.from(startsNs, (startNs, at): TimeSpan => [startNs, endsNs[at]]);
  if (all.length <= MOST_STRETCHES) return { spans: all, count: all.length };
  const longest = all
    .toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]))
    .slice(0, MOST_STRETCHES)
    .sort((a, b) => a[0] - b[0]);
  return { spans: longest, count: all.length };
}

function boundNote({ startsNs }: Spans): string {
  if (startsNs.length === 0)
    return 'Nowhere is it proven that all work given to the GPU was done: its idle time is not known.';
  return `At least this much, in ${plural(startsNs.length, 'stretch', 'stretches')}: from the return of a wait after which nothing was left to do, to the next call that gave the GPU work.`;
}

/** Why records that are there do not tell it. */
function blindNote({ tables }: Trace, blind: string): string {
  return tables.gpu_work.rows === 0 ? '' : ` ${blind}`;
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
