/**
 * Percentiles by nearest rank: the p-th percentile of n values is the ⌈p·n/100⌉-th smallest, so it
 * is always a value that was measured, and integers stay exact. Definition 1 of Hyndman & Fan,
 * “Sample Quantiles in Statistical Packages”, The American Statistician 50(4), 1996.
 *
 * Selection is by radix from the most significant 16 bits of the float down: non-negative floats
 * order as their bit patterns do. It takes at most five passes whatever the values, where a
 * quickselect can be made quadratic by a hostile file.
 */

import { atOnce, inPieces, type Pieces } from './pieces.ts';

const WORDS_PER_VALUE = 4;
const TOP_WORD = WORDS_PER_VALUE - 1;
const DIGITS = 2 ** 16;
/** Below this many values sorting is faster than another pass over the 65,536 counters. */
const SMALL = 2 ** 14;

/** The rank, 1…count, of the `percent`-th percentile (0…100) of `count` values. */
export function nearestRank(count: number, percent: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100));
}

/**
 * The percentiles `percents` (0…100 each) of `values`, which must be non-negative, in any order,
 * and are not changed. All 0 where there are no values.
 */
export function percentiles(values: Float64Array, percents: readonly number[]): number[] {
  if (values.length === 0) return percents.map(() => 0);
  const ranks = percents.map((percent) => nearestRank(values.length, percent));
  return atOnce(smallestInPieces(values, ranks));
}

/** Of each rank, 1…count, the value that so many of `values` do not exceed, with it; in pieces. See percentiles. */
export function smallestInPieces(values: Float64Array, ranks: readonly number[]): Pieces<number[]> {
  return select(values, ranks, TOP_WORD);
}

/**
 * The middle of `values` in any order, which are not changed: of two the lower, as the 50th percentile
 * is, unless asked for the upper. Undefined where there are none.
 */
export function median(
  values: ArrayLike<number>,
  ofTwo: 'lower' | 'upper' = 'lower',
): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const lower = nearestRank(sorted.length, 50) - 1;
  const isPair = sorted.length > 0 && sorted.length % 2 === 0;
  return sorted[isPair && ofTwo === 'upper' ? lower + 1 : lower];
}

/** The values of `ranks`, in their order, where `values` differ only in 16-bit `word` and those below it. */
function* select(values: Float64Array, ranks: readonly number[], word: number): Pieces<number[]> {
  if (values.length <= SMALL) {
    const sorted = values.slice().sort();
    return ranks.map((rank) => sorted[rank - 1]);
  }
  const counts = yield* countDigits(values, word);
  const found: number[] = [];
  for (const [digit, { below, places }] of digitsOf(ranks, counts)) {
    yield;
    const kept = yield* keep(values, word, digit, counts[digit]);
    yield;
    const own = places.map((place) => ranks[place] - below);
    const areEqual = kept.areEqual || word === 0;
    const told = areEqual
      ? own.map(() => kept.values[0])
      : yield* select(kept.values, own, word - 1);
    for (const [at, place] of places.entries()) found[place] = told[at];
  }
  return found;
}

/** By digit that the value of a rank must have: how many values have a lower one, and which of `ranks` these are. */
function digitsOf(ranks: readonly number[], counts: Uint32Array) {
  const digits = new Map<number, { readonly below: number; readonly places: number[] }>();
  for (const [place, rank] of ranks.entries()) {
    let digit = 0;
    let below = 0;
    while (below + counts[digit] < rank) below += counts[digit++];
    const known = digits.get(digit);
    if (known === undefined) digits.set(digit, { below, places: [place] });
    else known.places.push(place);
  }
  return digits;
}

/** Those of `values` whose 16-bit `word` is `digit`: there are `count`. */
function* keep(
  values: Float64Array,
  word: number,
  digit: number,
  count: number,
): Pieces<{ readonly values: Float64Array; readonly areEqual: boolean }> {
  // Memory for a copy of all of them would cost more than a look at each.
  if (count === values.length) return { values, areEqual: false };
  const kept = new Float64Array(count);
  const words = wordsOf(values);
  let last = 0;
  let areEqual = true;
  yield* inPieces(values.length, (from, to) => {
    let next = last;
    let isSame = areEqual;
    for (let row = from; row < to; row++) {
      if (words[row * WORDS_PER_VALUE + word] !== digit) continue;
      const value = values[row];
      kept[next++] = value;
      if (value !== kept[0]) isSame = false;
    }
    last = next;
    areEqual = isSame;
  });
  return { values: kept, areEqual };
}

/** How many of `values` have which 16-bit `word`. */
function* countDigits(values: Float64Array, word: number): Pieces<Uint32Array> {
  const counts = new Uint32Array(DIGITS);
  const words = wordsOf(values);
  yield* inPieces(values.length, (from, to) => {
    for (let row = from; row < to; row++) counts[words[row * WORDS_PER_VALUE + word]]++;
  });
  return counts;
}

/** Little-endian, as every machine Node runs on that has a GPU: word 3 is the most significant. */
function wordsOf(values: Float64Array): Uint16Array {
  return new Uint16Array(values.buffer, values.byteOffset, values.length * WORDS_PER_VALUE);
}

/** Halfway between the lower and the upper median of `values`: of few, neither is left out. NaN where there are none. */
export function midpoint(values: readonly number[]): number {
  return ((median(values) ?? Number.NaN) + (median(values, 'upper') ?? Number.NaN)) / 2;
}
