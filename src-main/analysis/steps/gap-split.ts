import { hostIndexOf } from '../../shared/model/hosts.ts';
import { MAX_NAMES } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lostCalls, touches } from '../coverage/lost-calls.ts';
import type { LoopCalls } from './loop-calls.ts';
import type { LoopEvidence } from './loop-evidence.ts';
import { PHASE } from './phase-list.ts';
import { SIGN_COLLECTIVE, SIGN_LOADER, SIGN_NONE } from './stack-signs.ts';

/**
 * What the time between two CUDA calls of the training thread went to. Known for certain are waits
 * that the loader ended, and the moments of samples. From them to the rest:
 * - a preemption right beside such a wait (loop-evidence.ts) is the loader's;
 * - between two moments or waits of one gap that say the same, the same is assumed: within one gap
 *   the loop hardly leaves the loader and comes back;
 * - the ends of a gap, and gaps that hold no evidence, are called input only where at least nine of
 *   ten samples in gaps between the same two operations, at the same place (before, between or after
 *   the waits), say so;
 * - where CUDA calls were lost nothing is assumed: whole steps may lie between two moments;
 * - all else is "other". So input is a lower bound but for the time between samples that agree.
 */
export type GapSplit = (gap: number, startNs: number, endNs: number, put: PutPhase) => void;

/** Says that up to `endNs` it was this phase. */
type PutPhase = (endNs: number, phase: number) => void;

/** So many samples of a kind of gap must say what such gaps are. */
const MIN_SAMPLES = 5;
const AGREEING_SHARE = 0.9;
const NO_OP = MAX_NAMES;

/** A place in a gap, by the waits for the loader in it. */
const BEFORE = 0;
const BETWEEN = 1;
const AFTER = 2;
const WHOLE = 3;
const PLACES = 4;

/** Samples by kind of gap and place, of each sign. */
type Votes = Map<number, Float64Array>;

/** Splits gap `gap` of `calls`: the one before call `gap`, of which there is one more than calls. */
export function gapSplitter(trace: Trace, calls: LoopCalls, evidence: LoopEvidence): GapSplit {
  const votes = countVotes(trace, calls, evidence);
  const lost = lostCalls(trace, hostOfLoop(trace, calls));
  const { startsNs, endsNs, signs } = evidence;
  let next = 0;
  return (gap, startNs, endNs, put) => {
    while (next < startsNs.length && startsNs[next] < startNs) next++;
    const first = next;
    while (next < startsNs.length && startsNs[next] < endNs) next++;
    const [waitFrom, waitTo] = waitsWithin(evidence, first, next);
    const kind = kindOf(trace, calls, gap);
    const isWhole = !touches(lost, startNs, endNs);
    const assumed = (left: number, right: number, place: number) =>
      isWhole ? phaseBetween(left, right, voted(votes, kind, place)) : PHASE.other;
    let left = SIGN_NONE;
    for (let at = first; at < next; at++) {
      put(startsNs[at], assumed(left, signs[at], placeOf(at, waitFrom, waitTo)));
      put(Math.min(endNs, endsNs[at]), phaseOf(signs[at]));
      left = signs[at];
    }
    put(endNs, assumed(left, SIGN_NONE, waitTo === -1 ? WHOLE : AFTER));
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

/** Gaps between the same two operations are of one kind. */
function kindOf(trace: Trace, { rows }: LoopCalls, gap: number): number {
  const { op } = trace.tables.cuda_call.columns;
  const before = gap > 0 ? op[rows[gap - 1]] : NO_OP;
  const after = gap < rows.length ? op[rows[gap]] : NO_OP;
  return before * (NO_OP + 1) + after;
}

/** The sign on which the samples of such places agree; SIGN_NONE = they do not, or are too few. */
function voted(votes: Votes, kind: number, place: number): number {
  const counts = votes.get(kind * PLACES + place);
  if (counts === undefined) return SIGN_NONE;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const sign = counts.findIndex((count) => count >= MIN_SAMPLES && count >= all * AGREEING_SHARE);
  return Math.max(SIGN_NONE, sign);
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
    while (gap < calls.rows.length && calls.endsNs[gap] <= startsNs[first]) gap++;
    const endNs = calls.startsNs[gap] ?? Infinity;
    let end = first;
    while (end < startsNs.length && startsNs[end] < endNs) end++;
    // In a CUDA call, or where calls were lost: what its stack says does not count.
    if (end === first || touches(lost, gap > 0 ? calls.endsNs[gap - 1] : -Infinity, endNs)) {
      first = Math.max(end, first + 1);
      continue;
    }
    const [waitFrom, waitTo] = waitsWithin(evidence, first, end);
    for (let at = first; at < end; at++) {
      if (endsNs[at] > startsNs[at]) continue;
      const key = kindOf(trace, calls, gap) * PLACES + placeOf(at, waitFrom, waitTo);
      const counts = votes.get(key) ?? new Float64Array(SIGN_COLLECTIVE + 1);
      counts[signs[at]]++;
      votes.set(key, counts);
    }
    first = end;
  }
  return votes;
}
