import { upperBound } from '../../shared/numbers/bisect.ts';
import type { Spans } from '../index/spans.ts';
import { PHASE } from '../loop/phase-list.ts';

/** Puts down a stretch that is assumed to be input as far as that is sure; the rest of it is other time. */

/** Says that up to `endNs` it was this phase. */
export type PutPhase = (endNs: number, phase: number) => void;

/** One-sided 99 %. */
const Z = 2.326;

/**
 * Where `agreeing` of `all` samples say one thing, the least share of the time of which it is true:
 * Wilson's lower limit (Journal of the American Statistical Association 22, 1927).
 */
export function sureShare(agreeing: number, all: number): number {
  const share = agreeing / all;
  const square = (Z * Z) / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + square / (4 * all));
  return Math.max(0, (share + square / 2 - spread) / (1 + square));
}

/** [fromNs, toNs) is input but for what `waits` have of it. */
export function putWithout(waits: Spans, fromNs: number, toNs: number, put: PutPhase): void {
  for (let at = upperBound(waits.endsNs, fromNs); waits.startsNs[at] < toNs; at++) {
    put(waits.startsNs[at], PHASE.input);
    put(Math.min(toNs, waits.endsNs[at]), PHASE.other);
  }
  put(toNs, PHASE.input);
}

/**
 * Of [fromNs, toNs) without `waits`, `share` is input: the first of it where `isFirst` (the loader was
 * seen just before), else the last.
 */
export function putShare(
  waits: Spans,
  [fromNs, toNs]: readonly [number, number],
  { share, isFirst }: { readonly share: number; readonly isFirst: boolean },
  put: PutPhase,
): void {
  const ns = lengthWithout(waits, [fromNs, toNs]);
  let leftNs = isFirst ? ns * share : ns * (1 - share);
  const [first, second] = isFirst ? [PHASE.input, PHASE.other] : [PHASE.other, PHASE.input];
  let reachedNs = fromNs;
  const putRunning = (endNs: number) => {
    const firstEndNs = Math.min(endNs, reachedNs + Math.round(leftNs));
    put(firstEndNs, first);
    put(endNs, second);
    leftNs -= firstEndNs - reachedNs;
  };
  for (let at = upperBound(waits.endsNs, fromNs); waits.startsNs[at] < toNs; at++) {
    if (waits.startsNs[at] > reachedNs) putRunning(waits.startsNs[at]);
    reachedNs = Math.min(toNs, waits.endsNs[at]);
    put(reachedNs, PHASE.other);
  }
  if (toNs > reachedNs) putRunning(toNs);
}

/** Length of [fromNs, toNs) but for what `waits` have of it. */
export function lengthWithout(
  { startsNs, endsNs }: Spans,
  [fromNs, toNs]: readonly [number, number],
): number {
  let ns = toNs - fromNs;
  for (let at = upperBound(endsNs, fromNs); startsNs[at] < toNs; at++)
    ns -= Math.min(toNs, endsNs[at]) - Math.max(fromNs, startsNs[at]);
  return ns;
}
