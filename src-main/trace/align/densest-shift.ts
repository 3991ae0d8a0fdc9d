import { lowerBound } from '../../shared/numbers/bisect.ts';
import { median } from '../../shared/numbers/percentile.ts';

export interface Shift {
  /** What the times of one list have, in the middle, over those of the other, ns. */
  readonly ns: number;
  /** 19 of 20 pairs are no further from that, ns. */
  readonly spreadNs: number;
  readonly pairs: number;
}

/**
 * Moments of one event lie this close together on two machines, once their clocks are in line: kernels of a GPU, and
 * threads that wait for a CPU first. The closest at which enough of them meet is taken. Our own choice.
 */
const TOGETHER_NS = [200e3, 1e6, 5e6];
/** Fewer than that may be chance. */
const MIN_PAIRS = 5;
/** The next best shift brings together fewer than so much of these: else the two can't be told apart. */
const CLEARLY = 0.8;

/**
 * By how much `other` is later than `own`, both in order, where most of the moments that they could share are then
 * at one time: undefined where none is, or where several shifts do as well, as steps of one length repeat.
 * `within`: shifts that are looked at, ns.
 */
export function densestShift(
  own: Float64Array,
  other: Float64Array,
  within: readonly [fromNs: number, toNs: number],
): Shift | undefined {
  const apart: number[] = [];
  for (const ns of own) {
    for (let at = lowerBound(other, ns + within[0]); at < other.length; at++) {
      const shift = (other[at] as number) - ns;
      if (shift > within[1]) break;
      apart.push(shift);
    }
  }
  const sorted = Float64Array.from(apart).sort();
  const gapNs = typicalGap(own);
  const enough = Math.max(MIN_PAIRS, Math.min(own.length, other.length) / 2);
  for (const togetherNs of TOGETHER_NS) {
    // Else one moment would meet several.
    if (togetherNs > gapNs / 2) return undefined;
    const best = densest(sorted, togetherNs, () => true);
    if (best === undefined) return undefined;
    const pairs = best.to - best.from;
    if (pairs < enough) continue;
    const ns = sorted[(best.from + best.to) >> 1] as number;
    const [before, behind] = [ns - 2 * togetherNs, ns + 2 * togetherNs];
    const rival = densest(sorted, togetherNs, (first, last) => last < before || first > behind);
    if (rival !== undefined && rival.to - rival.from > CLEARLY * pairs) return undefined;
    const off = sorted
      .slice(best.from, best.to)
      .map((each) => Math.abs(each - ns))
      .sort();
    return { ns, spreadNs: off[Math.ceil(0.95 * off.length) - 1] as number, pairs };
  }
  return undefined;
}

/** Half of the moments are no closer to the next one. */
function typicalGap(sorted: Float64Array): number {
  return median(sorted.subarray(1).map((ns, at) => ns - (sorted[at] as number))) ?? Infinity;
}

interface Window {
  readonly from: number;
  /** Behind the last. */
  readonly to: number;
}

/** The most values within `togetherNs` of each other, of those windows that `may` be it by their first and last value. */
function densest(
  sorted: Float64Array,
  togetherNs: number,
  may: (first: number, last: number) => boolean,
): Window | undefined {
  let best: Window | undefined;
  let from = 0;
  for (let to = 1; to <= sorted.length; to++) {
    const last = sorted[to - 1] as number;
    while (last - (sorted[from] as number) > togetherNs) from++;
    const isMore = best === undefined || to - from > best.to - best.from;
    if (isMore && may(sorted[from] as number, last)) best = { from, to };
  }
  return best;
}
