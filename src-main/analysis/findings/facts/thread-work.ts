import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { codeOf, wakeContexts } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { type HostWork, waitsAmong } from '../../host/host-parts.ts';
import { stackKinds } from '../../host/stack-kinds.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { placeText } from '../../stacks/place-text.ts';
import { blockedOn } from '../../threads/blocked-on.ts';
import { passedOnFrom } from '../../threads/passed-on.ts';
import type { RankFacts } from './facts.ts';
import { FEW_SAMPLES } from './most-sampled.ts';

/** What another thread did, by what was seen of it. */

/** As much of what was seen of a thread is in one function at least, for that to be named. */
const NAMED_SHARE = 0.5;

/**
 * `decode (train.py:12)`: the function in which most CPU samples of `threads` were; undefined where none has half of them, or
 * so few that it may be chance.
 */
export function placeOfThreads(facts: RankFacts, threads: readonly number[]): string | undefined {
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const rows = threads.flatMap((thread) => [...samplesWithin(facts.trace, thread, facts.window)]);
  const seen = rows.map((row) => ({ stack: stack?.[row] ?? NONE, weight: 1 }));
  return mostPlace(facts, seen, FEW_SAMPLES);
}

/**
 * What `thread` did over `spans`, in order of time, while another waited for it: `asleep in refresh (train.py:40): a timer: it
 * slept on purpose`, `on a CPU in refresh (train.py:41)`. Undefined where nothing was seen of it.
 */
export function workOfThread(
  facts: RankFacts,
  thread: number,
  spans: readonly TimeSpan[],
): string | undefined {
  const looked = longestOf(spans);
  const asleep = looked.flatMap((span) => waitsWithin(facts, thread, span));
  return workText(facts, looked, asleep, samplesOf(facts, [thread], looked));
}

/**
 * What process `process` did over `spans`, in order of time, as a server that answered at the end of each: any of its threads. Of
 * their waits those count that began and ended within: one that had begun before may be for the request itself, and one
 * that goes on is for the next. Undefined where nothing was seen of it.
 */
export function workOfServer(
  facts: RankFacts,
  process: number,
  spans: readonly TimeSpan[],
): string | undefined {
  const threads = jobIndex(facts.trace).threadsOf(process);
  const { startNs, durationNs } = facts.trace.tables.off_cpu.columns;
  const looked = longestOf(spans);
  const asleep = looked.flatMap((span) =>
    threads
      .flatMap((thread) => waitsWithin(facts, thread, span))
      .filter(({ row }) => startNs[row] >= span[0] && startNs[row] + durationNs[row] <= span[1]),
  );
  return workText(facts, looked, asleep, samplesOf(facts, threads, looked));
}

/** Of hundreds of thousands of waits the longest tell enough, and each is looked up for each thread. Our own choice. */
const MOST_SPANS = 1000;

/** In order of time. */
function longestOf(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  if (spans.length <= MOST_SPANS) return spans;
  const byLength = spans.toSorted(([from, to], [start, end]) => end - start - (to - from));
  return byLength.slice(0, MOST_SPANS).sort(([from], [start]) => from - start);
}

/** The CPU samples of `threads` over `spans`: rows of cpu_sample. */
export function samplesOf(
  { trace }: RankFacts,
  threads: readonly number[],
  spans: readonly TimeSpan[],
): number[] {
  return spans.flatMap((span) =>
    threads.flatMap((thread) => [...samplesWithin(trace, thread, span)]),
  );
}

interface Asleep {
  /** Of off_cpu. */
  readonly row: number;
  readonly ns: number;
}

/** `ran` = rows of cpu_sample. */
function workText(
  facts: RankFacts,
  spans: readonly TimeSpan[],
  asleep: readonly Asleep[],
  ran: readonly number[],
): string | undefined {
  const { off_cpu: waits, cpu_sample: samples } = facts.trace.tables;
  const asleepNs = asleep.reduce((sum, { ns }) => sum + ns, 0);
  const lengthNs = spans.reduce((sum, [startNs, endNs]) => sum + endNs - startNs, 0);
  if (asleep.length > 0 && asleepNs >= lengthNs / 2) {
    const longest = asleep.reduce((most, each) => (each.ns > most.ns ? each : most));
    const seen = asleep.map(({ row, ns }) => ({
      stack: waits.columns.stack?.[row] ?? NONE,
      weight: ns,
    }));
    const at = mostPlace(facts, seen);
    const { text } = blockedOn(facts.trace, longest.row);
    return `asleep${at === undefined ? '' : ` in ${at}`}, waiting for ${text}`;
  }
  const at = mostPlace(
    facts,
    ran.map((row) => ({ stack: samples.columns.stack?.[row] ?? NONE, weight: 1 })),
  );
  return at === undefined ? undefined : `on a CPU in ${at}`;
}

/** A thread that ended waits of the training thread: which, and how long they were. */
export interface Waker {
  readonly thread: number;
  readonly ns: number;
  /** Of off_cpu. */
  readonly rows: readonly number[];
  readonly spans: readonly TimeSpan[];
}

/** The threads that ended the waits of `work`, those of most time first; `endedBy` tells whose that is, by row of off_cpu. */
export function wakersOf(
  { trace, host }: RankFacts,
  { at }: Pick<HostWork, 'at'>,
  endedBy = (wait: number) => trace.tables.off_cpu.columns.waker?.[wait] ?? NONE,
): Waker[] {
  const { row, ns, startsNs, endsNs } = host.evidence;
  const { wakerContext } = trace.tables.off_cpu.columns;
  const isTask = (each: number) =>
    wakerContext === undefined || wakerContext[row[each]] === codeOf(wakeContexts, 'task');
  const waits = waitsAmong(host, at).filter(isTask);
  const byThread = Map.groupBy(waits, (each) => endedBy(row[each]));
  return [...byThread]
    .filter(([thread]) => thread !== NONE)
    .map(([thread, all]) => ({
      thread,
      ns: all.reduce((sum, each) => sum + ns[each], 0),
      rows: all.map((each) => row[each]),
      spans: all.map((each): TimeSpan => [startsNs[each], endsNs[each]]),
    }))
    .sort((a, b) => b.ns - a.ns);
}

/** Who in truth ended a wait, a row of off_cpu: a thread that only passes on what came is looked through; -1 = nobody known. */
export function behindWaker(trace: Trace): (row: number) => number {
  const { waker } = trace.tables.off_cpu.columns;
  return (row) => waker?.[passedOnFrom(trace, row)] ?? NONE;
}

function waitsWithin({ trace }: RankFacts, thread: number, [startNs, endNs]: TimeSpan) {
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  const { durationNs, state } = trace.tables.off_cpu.columns;
  const found: Asleep[] = [];
  const last = startsNs.lowerBound(endNs);
  for (let at = latestEndsNs.upperBound(startNs); at < last; at++) {
    const row = rows[at];
    const ns =
      Math.min(endNs, startsNs.nsAt(at) + durationNs[row]) - Math.max(startNs, startsNs.nsAt(at));
    if (ns > 0 && state?.[row] !== 0) found.push({ row, ns });
  }
  return found;
}

/** Of stacks with a weight each, the function with at least half of it, and with `least`, at its commonest line. */
export function mostPlace(
  { trace }: RankFacts,
  seen: readonly { readonly stack: number; readonly weight: number }[],
  least = 0,
): string | undefined {
  const { functions, places } = stackKinds(trace);
  const byFunction = new Map<number, { weight: number; readonly lines: Map<number, number> }>();
  let all = 0;
  for (const { stack, weight } of seen) {
    all += weight;
    const number = functions[stack] ?? NONE;
    if (number === NONE) continue;
    const own = byFunction.get(number) ?? { weight: 0, lines: new Map<number, number>() };
    byFunction.set(number, own);
    own.weight += weight;
    const frame = trace.stacks.frame[places[stack]];
    own.lines.set(frame, (own.lines.get(frame) ?? 0) + weight);
  }
  const [most] = [...byFunction.values()].sort((a, b) => b.weight - a.weight);
  if (most === undefined || most.weight < Math.max(least, all * NAMED_SHARE)) return undefined;
  return placeText(trace.stacks, commonest(most.lines));
}

/** The key with the most weight. */
function commonest(weights: ReadonlyMap<number, number>): number {
  return [...weights].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
