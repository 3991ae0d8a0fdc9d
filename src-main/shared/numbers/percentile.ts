/**
 * Percentiles by nearest rank: the p-th percentile of n values is the ⌈p·n/100⌉-th smallest, so it
 * is always a value that was measured, and integers stay exact. Definition 1 of Hyndman & Fan,
 * “Sample Quantiles in Statistical Packages”, The American Statistician 50(4), 1996.
 *
 * Selection is by radix from the most significant 16 bits of the float down: non-negative floats
 * order as their bit patterns do. It takes at most five passes whatever the values, where a
 * quickselect can be made quadratic by a hostile file.
 */

import { atOnce, endsPiece, type Pieces } from './pieces.ts';

const WORDS_PER_VALUE = 4;
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
  return atOnce(percentilesInPieces(values, percents));
}

/** As percentiles, in pieces of some rows each. */
export function* percentilesInPieces(
  values: Float64Array,
  percents: readonly number[],
): Pieces<number[]> {
  if (values.length === 0) return percents.map(() => 0);
  if (values.length <= SMALL) {
    const sorted = values.slice().sort();
    return percents.map((percent) => sorted[nearestRank(values.length, percent) - 1]);
  }
  const top = WORDS_PER_VALUE - 1;
  const counts = yield* countDigits(values, top);
  const found: number[] = [];
  for (const percent of percents)
    found.push(yield* narrow(values, nearestRank(values.length, percent), top, counts));
  return found;
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

function* select(values: Float64Array, rank: number, word: number): Pieces<number> {
  if (word < 0) return values[0];
  if (values.length <= SMALL) return values.slice().sort()[rank - 1];
  return yield* narrow(values, rank, word, yield* countDigits(values, word));
}

/** Keeps the values whose 16-bit `word` is the one the value of `rank` must have, and goes on there. */
function* narrow(
  values: Float64Array,
  rank: number,
  word: number,
  counts: Uint32Array,
): Pieces<number> {
  let digit = 0;
  let below = 0;
  while (below + counts[digit] < rank) below += counts[digit++];
  // Where all have it, they are the values themselves: memory for others would cost more than the pass.
  const isEach = counts[digit] === values.length;
  const kept = isEach ? values : new Float64Array(counts[digit]);
  const words = wordsOf(values);
  let areEqual = true;
  for (let row = 0, next = 0, at = word; row < values.length; row++, at += WORDS_PER_VALUE) {
    if (endsPiece(row)) yield;
    if (words[at] !== digit) continue;
    if (!isEach) kept[next++] = values[row];
    if (values[row] !== kept[0]) areEqual = false;
  }
  return areEqual ? kept[0] : yield* select(kept, rank - below, word - 1);
}

function* countDigits(values: Float64Array, word: number): Pieces<Uint32Array> {
  const counts = new Uint32Array(DIGITS);
  const words = wordsOf(values);
  for (let at = word, row = 0; at < words.length; at += WORDS_PER_VALUE, row++) {
    if (endsPiece(row)) yield;
    counts[words[at]]++;
  }
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
