import { hostIndexOf } from '../../shared/model/hosts.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lostCalls, touches } from '../coverage/lost-calls.ts';
import type { LoopCalls } from '../loop/loop-calls.ts';
import { PHASE } from '../loop/phase-list.ts';
import { SIGN_COLLECTIVE, SIGN_LOADER, SIGN_NONE } from '../loop/stack-signs.ts';
import {
  lengthWithout,
  type PutPhase,
  putShare,
  putWithout,
  sureShare,
} from './assumed-stretch.ts';
import { gapKind } from './gap-kind.ts';
import type { LoopEvidence } from './loop-evidence.ts';

/**
 * What the time between two CUDA calls of the training thread went to. Known for certain are waits
 * that the loader ended, and the moments of samples. From them to the rest:
 * - a preemption right beside such a wait (loop-evidence.ts) is the loader's;
 * - between two moments or waits of one gap that say the same, the same is assumed: within one gap
 *   the loop hardly leaves the loader and comes back;
 * - the ends of a gap, and gaps that hold no evidence, are called input only where at least nine of
 *   ten samples in gaps between the same two operations, at the same place (before, between or after
 *   the waits), say so, or else those in gaps of about the same length among them: what comes every ten steps
 *   says nothing of the other nine; and only the share of which so many samples make sure (sureShare);
 * - samples are of a thread that runs: a wait in such a stretch that nothing shows to be the loader's
 *   is other time. Between two moments in the loader it is the loader's, unless it gave something away
 *   (loader-calls.ts);
 * - where CUDA calls were lost nothing is assumed: whole steps may lie between two moments;
 * - all else is "other". So input is a lower bound.
 */
export type GapSplit = (gap: number, startNs: number, endNs: number, put: PutPhase) => void;

/** So many samples of a kind of gap must say what such gaps are. */
const MIN_SAMPLES = 5;
const AGREEING_SHARE = 0.9;

/** A place in a gap, by the waits for the loader in it. */
const BEFORE = 0;
const BETWEEN = 1;
const AFTER = 2;
const WHOLE = 3;
const PLACES = 4;

/** Samples of each sign, by kind of gap and place, and by the same and about how long the gap is. */
type Votes = Map<number, Float64Array>;

/** Lengths of gaps are alike from one power of two, ns, to the next. */
const LENGTHS = 64;
const ANY_LENGTH = 0;

/** 1 … LENGTHS − 1; a gap at an end of the trace is the longest. */
function lengthOf(startNs: number, endNs: number): number {
  const power = Math.floor(Math.log2(Math.max(1, endNs - startNs)));
  return Math.min(LENGTHS - 1, 1 + power);
}

const keyOf = (kind: number, place: number, length: number): number =>
  (kind * PLACES + place) * LENGTHS + length;

/**
 * Splits gap `gap` of `calls`: the one before call `gap`, of which there is one more than calls. `doubt` is told
 * each wait in a stretch that would be input if the thread had run there.
 */
export function gapSplitter(
  trace: Trace,
  calls: LoopCalls,
  evidence: LoopEvidence,
  doubt: (ns: number) => void,
): GapSplit {
  const votes = countVotes(trace, calls, evidence);
  const lost = lostCalls(trace, hostOfLoop(trace, calls));
  const { startsNs, endsNs, signs, foreign } = evidence;
  let next = 0;
  return (gap, startNs, endNs, put) => {
    while (next < startsNs.length && startsNs[next] < startNs) next++;
    const first = next;
    while (next < startsNs.length && startsNs[next] < endNs) next++;
    const [waitFrom, waitTo] = waitsWithin(evidence, first, next);
    const kind = gapKind(trace, calls, gap);
    const isWhole = !touches(lost, startNs, endNs);
    let reachedNs = startNs;
    const putTo = (toNs: number, phase: number) => {
      put(toNs, phase);
      reachedNs = Math.max(reachedNs, toNs);
    };
    const putAssumed = (toNs: number, left: number, right: number, place: number) => {
      if (!(toNs > reachedNs)) return;
      const alike = lengthOf(startNs, endNs);
      const vote = voted(votes, kind, place, ANY_LENGTH) ?? voted(votes, kind, place, alike);
      const phase = isWhole ? phaseBetween(left, right, vote?.sign ?? SIGN_NONE) : PHASE.other;
      if (phase !== PHASE.input) putTo(toNs, phase);
      else if (left !== SIGN_NONE && right !== SIGN_NONE)
        putWithout(foreign.never, reachedNs, toNs, putTo);
      else {
        const sure = { share: vote?.sureShare ?? 0, isFirst: left !== SIGN_NONE };
        const stretch = [reachedNs, toNs] as const;
        doubt(lengthWithout(foreign.never, stretch) - lengthWithout(foreign.all, stretch));
        putShare(foreign.all, stretch, sure, putTo);
      }
    };
    let left = SIGN_NONE;
    for (let at = first; at < next; at++) {
      putAssumed(startsNs[at], left, signs[at], placeOf(at, waitFrom, waitTo));
      putTo(Math.min(endNs, endsNs[at]), phaseOf(signs[at]));
      left = signs[at];
    }
    putAssumed(endNs, left, SIGN_NONE, waitTo === -1 ? WHOLE : AFTER);
  };
}

/** First and last evidence of [first, end) that is a wait for the loader; -1 = none. */
function waitsWithin({ isQueueWait }: LoopEvidence, first: number, end: number): [number, number] {
  let from = -1;
  let to = -1;
  for (let at = first; at < end; at++) {
    if (isQueueWait[at] === 0) continue;
    if (from === -1) from = at;
    to = at;
  }
  return [from, to];
}

/** Where the time just before evidence `at` lies. */
function placeOf(at: number, waitFrom: number, waitTo: number): number {
  if (waitFrom === -1) return WHOLE;
  if (at <= waitFrom) return BEFORE;
  return at <= waitTo ? BETWEEN : AFTER;
}

/** What is assumed between evidence `left` and `right`; SIGN_NONE is a gap's end. */
function phaseBetween(left: number, right: number, vote: number): number {
  if (left !== SIGN_NONE && right !== SIGN_NONE)
    return left === right ? phaseOf(left) : PHASE.other;
  const known = left === SIGN_NONE ? right : left;
  return known === SIGN_NONE || known === vote ? phaseOf(vote) : PHASE.other;
}

function phaseOf(sign: number): number {
  if (sign === SIGN_LOADER) return PHASE.input;
  return sign === SIGN_COLLECTIVE ? PHASE.collective : PHASE.other;
}

interface Vote {
  /** On which the samples agree. */
  readonly sign: number;
  /** Of the time at such places, at least so much is of that sign. */
  readonly sureShare: number;
}

/** Undefined where the samples do not agree, or are too few. */
function voted(votes: Votes, kind: number, place: number, length: number): Vote | undefined {
  const counts = votes.get(keyOf(kind, place, length));
  if (counts === undefined) return undefined;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const sign = counts.findIndex((count) => count >= MIN_SAMPLES && count >= all * AGREEING_SHARE);
  return sign <= SIGN_NONE ? undefined : { sign, sureShare: sureShare(counts[sign], all) };
}

/** The host on which the loop runs. */
const hostOfLoop = (trace: Trace, { rows }: LoopCalls) =>
  hostIndexOf(trace, trace.tables.cuda_call.columns.thread[rows[0]]);

function countVotes(trace: Trace, calls: LoopCalls, evidence: LoopEvidence): Votes {
  const votes: Votes = new Map();
  const lost = lostCalls(trace, hostOfLoop(trace, calls));
  const { startsNs, endsNs, signs } = evidence;
  let gap = 0;
  for (let first = 0; first < startsNs.length; ) {
    while (gap < calls.rows.length && calls.endsNs.nsAt(gap) <= startsNs[first]) gap++;
    const startNs = gap > 0 ? calls.endsNs.nsAt(gap - 1) : -Infinity;
    const endNs = calls.startsNs.nsAt(gap) ?? Infinity;
    let end = first;
    while (end < startsNs.length && startsNs[end] < endNs) end++;
    // In a CUDA call, or where calls were lost: what its stack says does not count.
    if (end === first || touches(lost, startNs, endNs)) {
      first = Math.max(end, first + 1);
      continue;
    }
    const [waitFrom, waitTo] = waitsWithin(evidence, first, end);
    for (let at = first; at < end; at++) {
      if (endsNs[at] > startsNs[at]) continue;
      const place = placeOf(at, waitFrom, waitTo);
      for (const length of [ANY_LENGTH, lengthOf(startNs, endNs)]) {
        const key = keyOf(gapKind(trace, calls, gap), place, length);
        const counts = votes.get(key) ?? new Float64Array(SIGN_COLLECTIVE + 1);
        counts[signs[at]]++;
        votes.set(key, counts);
      }
    }
    first = end;
  }
  return votes;
}
