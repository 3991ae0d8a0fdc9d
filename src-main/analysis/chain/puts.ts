import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { median } from '../../shared/numbers/percentile.ts';
import { traceIndex } from '../index/trace-index.ts';
import { lifeOf, stateCode, visitStates } from '../threads/visit-states.ts';
import { deliveriesTo } from './deliveries.ts';
import type { Feeder } from './feeder.ts';
import { isIndexWait } from './index-waits.ts';
import { ANSWER_NS, type PutTimes } from './resumes.ts';
import { isFutex } from './wait-calls.ts';
import { wokenNsOf } from './wakes.ts';

/** When a worker made its batches: asked for when its index had come. */
export interface Puts extends PutTimes {
  /** The first batches of epochs: none of them could be asked for before. In order. */
  readonly firsts: readonly number[];
}

/** All that `mainThread` handed to its feeder, as far as both ends of each are seen. */
export function seenPuts(
  trace: Trace,
  rank: Rank | undefined,
  feeder: Feeder,
  mainThread: number,
): Puts {
  const putsNs = withUnseen(trace, rank, mainThread, putTimes(trace, feeder, mainThread));
  const [bornNs] = lifeOf(trace, mainThread);
  // Attached to a worker that was at it already: when its first batch began is not in the trace.
  const isBorn = Number.isFinite(bornNs);
  const firstNs = isBorn ? bornNs : putsNs.shift();
  if (firstNs === undefined) return timesOf(trace, rank, mainThread, [], []);
  const all = timesOf(trace, rank, mainThread, [firstNs, ...putsNs.slice(0, -1)], putsNs);
  if (isBorn && putsNs.length > 0) all.startsNs[0] = bornNs;
  return all;
}

/** The batches among `all` that `mainThread` put: without `answers`. */
export function withoutAnswers(
  trace: Trace,
  rank: Rank | undefined,
  mainThread: number,
  all: Puts,
  answers: ReadonlySet<number>,
): Puts {
  const kept = [...all.putsNs].filter((_, put) => !answers.has(put));
  if (kept.length === all.putsNs.length) return all;
  const [bornNs] = lifeOf(trace, mainThread);
  const found = timesOf(trace, rank, mainThread, [all.freeNs[0], ...kept.slice(0, -1)], kept);
  if (Number.isFinite(bornNs) && kept.length > 0) found.startsNs[0] = bornNs;
  return { ...found, firsts: firstsAmong(kept.length, answers) };
}

/**
 * A worker that lives for another epoch answers first, without a batch, that it is ready
 * (`_ResumeIteration`): at once after a wait, far faster than it makes a batch.
 */
export function answersAmong({ freeNs, startsNs, putsNs }: Puts): ReadonlySet<number> {
  const takenNs = putsNs.map((putNs, put) => putNs - startsNs[put]);
  // The upper of two: where every epoch is of one batch, half of them are answers.
  const medianNs = median(takenNs, 'upper') ?? 0;
  const answers = new Set<number>();
  takenNs.forEach((ns, put) => {
    const hasWaited = put > 0 && startsNs[put] > freeNs[put];
    if (hasWaited && ns < ANSWER_NS && ns * 10 < medianNs) answers.add(put);
  });
  return answers;
}

/** The batches after the answers, counted without them. */
function firstsAmong(count: number, answers: ReadonlySet<number>): number[] {
  const after = [...answers].map((put, before) => put - before);
  return [...new Set([0, ...after])].filter((batch) => batch < count);
}

/**
 * When batches were put: the feeder's birth, then each end of an idle wait. What ends its last wait
 * is the end of the queue (`Queue.close`), where the worker then exits.
 */
function putTimes(trace: Trace, { thread, idleRows }: Feeder, mainThread: number): number[] {
  const puts = idleRows.map((row) => wokenNsOf(trace, row)).filter((ns) => !Number.isNaN(ns));
  const [, endedNs] = lifeOf(trace, mainThread);
  if (Number.isFinite(endedNs)) puts.pop();
  const once = puts.filter(
    (putNs, put) => put === 0 || isBusy(trace, mainThread, puts[put - 1], putNs, AGAIN_NS),
  );
  const [bornNs] = lifeOf(trace, thread);
  if (!Number.isFinite(bornNs)) return once;
  // A new feeder may have been woken for the very batch that it was started for.
  if (once.length > 0 && !isBusy(trace, mainThread, bornNs, once[0])) once.shift();
  return [bornNs, ...once];
}

/**
 * Adds the puts that found the feeder still sending the batch before, so that it was not woken: who
 * made something and then waited for an index has put it right before.
 */
function withUnseen(
  trace: Trace,
  rank: Rank | undefined,
  mainThread: number,
  putsNs: readonly number[],
): number[] {
  const { rows, startsNs } = traceIndex(trace).switchesOf(mainThread);
  const all: number[] = [];
  let readyNs = Infinity;
  let put = 0;
  for (let at = startsNs.upperBound(putsNs[0] ?? Infinity); at < rows.length; at++) {
    if (!isIndexWait(trace, rank, rows[at])) continue;
    for (; putsNs[put] <= startsNs.nsAt(at); put++) {
      all.push(putsNs[put]);
      readyNs = putsNs[put];
    }
    if (isBusy(trace, mainThread, readyNs, startsNs.nsAt(at))) all.push(startsNs.nsAt(at));
    readyNs = wokenNsOf(trace, rows[at]);
  }
  return [...all, ...putsNs.slice(put)];
}

/** More than this the worker computes between two batches, however small. */
const BETWEEN_PUTS_NS = 1e6;

/** PyTorch’s own loop takes longer for the smallest batch: a feeder woken sooner waited for a lock. */
const AGAIN_NS = 50_000;

/** Whether a worker may have made a batch over [startNs, endNs): it did more than wait for locks and CPUs. */
function isBusy(
  trace: Trace,
  mainThread: number,
  startNs: number,
  endNs: number,
  leastNs = BETWEEN_PUTS_NS,
): boolean {
  let busyNs = 0;
  visitStates(trace, mainThread, startNs, endNs, (fromNs, toNs, state, row) => {
    const isOwn = state !== stateCode.runnable && (row < 0 || !isFutex(trace, row));
    if (isOwn) busyNs += toNs - fromNs;
  });
  return busyNs >= leastNs;
}

/** When the index of each batch came: the end of the last wait for one, else it lay ready. */
function timesOf(
  trace: Trace,
  rank: Rank | undefined,
  mainThread: number,
  freeNs: readonly number[],
  putsNs: readonly number[],
): Puts {
  const times = Float64Array.from(freeNs);
  const { rows, startsNs } = traceIndex(trace).switchesOf(mainThread);
  for (let cycle = 0; cycle < putsNs.length; cycle++) {
    const end = startsNs.lowerBound(putsNs[cycle]);
    for (let at = end - 1; at >= 0 && startsNs.nsAt(at) >= freeNs[cycle]; at--) {
      if (!isIndexWait(trace, rank, rows[at])) continue;
      times[cycle] = Math.min(putsNs[cycle], wokenNsOf(trace, rows[at]));
      break;
    }
  }
  return {
    freeNs: Float64Array.from(freeNs),
    startsNs: times,
    putsNs: Float64Array.from(putsNs),
    firsts: putsNs.length > 0 ? [0] : [],
  };
}

/** When all that had been put with each batch was written: the feeder was idle again. Infinity = not seen. */
export function flushedTimes(
  trace: Trace,
  { idleRows }: Feeder,
  putsNs: Float64Array,
): Float64Array {
  const idleNs = idleTimes(trace, idleRows);
  return putsNs.map((putNs) => idleNs[lowerBound(idleNs, putNs)] ?? Infinity);
}

function idleTimes(trace: Trace, idleRows: Feeder['idleRows']): Float64Array {
  return Float64Array.from(idleRows, (row) => trace.tables.off_cpu.columns.startNs[row]);
}

/** When each batch was written: the training process was woken by it, or the feeder was idle again. */
export function sentTimes(
  trace: Trace,
  rank: Rank | undefined,
  { thread, idleRows }: Feeder,
  putsNs: Float64Array,
): Float64Array {
  const idleNs = idleTimes(trace, idleRows);
  const deliveredNs = rank === undefined ? new Float64Array() : deliveredBy(trace, rank, thread);
  return putsNs.map((putNs, cycle) => {
    const limitNs = Math.min(
      idleNs[lowerBound(idleNs, putNs)] ?? Infinity,
      putsNs[cycle + 1] ?? Infinity,
    );
    const sentNs = deliveredNs[lowerBound(deliveredNs, putNs)] ?? Infinity;
    const endNs = Math.min(sentNs, limitNs);
    return Number.isFinite(endNs) ? endNs : putNs;
  });
}

function deliveredBy(trace: Trace, rank: Rank, feeder: number): Float64Array {
  const { atNs, wakers, isPoll } = deliveriesTo(trace, rank);
  return atNs.filter((_, at) => wakers[at] === feeder && isPoll[at] === 1);
}
