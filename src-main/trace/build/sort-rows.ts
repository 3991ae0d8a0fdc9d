import type { NumberArray } from '../../shared/model/columns.ts';

/** So many stretches that ascend are merged, where one source wrote them after another; rows in more are sorted by digits. */
const MOST_RUNS = 16;

const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;
/** Of a 64-bit float: its words stand low one first, as on every machine that Node runs on. */
const DIGITS_OF_START = 4;
const SIGN = 2 ** 31;

/**
 * The rows in ascending order of `starts`; undefined where they are in that order. Of rows that start
 * at once the longer comes first where `durations` are given, so that what encloses stands before what it
 * encloses; else they stay as they are. A radix sort: rows are written when an interval ends, so
 * every capture arrives unsorted, and comparing 10 million rows takes seconds. Tables that each are sorted are merged.
 */
export function orderByStart(
  starts: Float64Array,
  durations?: NumberArray,
): Uint32Array | undefined {
  if (isSorted(starts, durations)) return undefined;
  const runs = runsOf(starts);
  const order = runs === undefined ? orderOf(starts) : mergedRuns(starts, runs);
  if (durations !== undefined) putLongerFirst(order, starts, durations);
  return order;
}

function isSorted(starts: Float64Array, durations: NumberArray | undefined): boolean {
  for (let row = 1; row < starts.length; row++) {
    if (starts[row] > starts[row - 1]) continue;
    if (starts[row] < starts[row - 1]) return false;
    if (durations !== undefined && durations[row] > durations[row - 1]) return false;
  }
  return true;
}

/** Where each stretch that ascends begins, and where the last one ends; undefined where there are many. */
function runsOf(starts: Float64Array): number[] | undefined {
  const runs = [0];
  for (let row = 1; row < starts.length && runs.length <= MOST_RUNS; row++)
    if (starts[row] < starts[row - 1]) runs.push(row);
  return runs.length > MOST_RUNS ? undefined : [...runs, starts.length];
}

function mergedRuns(starts: Float64Array, all: readonly number[]): Uint32Array {
  let runs = all;
  let order = rowsOf(starts);
  let merged: Uint32Array = new Uint32Array(starts.length);
  while (runs.length > 2) {
    for (let run = 0; run + 1 < runs.length; run += 2) {
      const [from, middle, end = middle] = runs.slice(run, run + 3);
      mergePair(starts, order, merged, { from, middle, end });
    }
    [order, merged] = [merged, order];
    runs = runs.filter((_, run) => run % 2 === 0 || run === runs.length - 1);
  }
  return order;
}

/** Two stretches of `order` that stand side by side; of rows that start at once those of the first come first. */
function mergePair(
  starts: Float64Array,
  order: Uint32Array,
  merged: Uint32Array,
  { from, middle, end }: { readonly from: number; readonly middle: number; readonly end: number },
): void {
  let first = from;
  let second = middle;
  for (let to = from; to < end; to++) {
    const isFirst =
      second === end || (first < middle && starts[order[first]] <= starts[order[second]]);
    merged[to] = isFirst ? order[first++] : order[second++];
  }
}

function rowsOf({ length }: Float64Array): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

function orderOf(starts: Float64Array): Uint32Array {
  let order = rowsOf(starts);
  const digits = new Uint16Array(starts.length);
  for (let digit = 0; digit < DIGITS_OF_START; digit++) {
    readDigits(digits, starts, digit);
    order = sortByDigit(order, digits) ?? order;
  }
  return order;
}

/** One digit of each start; the bits of floats, so turned, ascend as the floats do. */
function readDigits(digits: Uint16Array, starts: Float64Array, digit: number): void {
  const words = new Uint32Array(starts.buffer, starts.byteOffset, 2 * starts.length);
  const word = digit >> 1;
  const shift = (digit & 1) * DIGIT_BITS;
  for (let row = 0; row < digits.length; row++) {
    const high = words[2 * row + 1];
    const turned = high >= SIGN ? ~words[2 * row + word] : words[2 * row + word];
    const isTop = word === 1 && high < SIGN;
    digits[row] = (isTop ? turned ^ SIGN : turned) >>> shift;
  }
}

function sortByDigit(order: Uint32Array, digits: Uint16Array): Uint32Array | undefined {
  const ends = new Uint32Array(DIGITS + 1);
  for (const digit of digits) ends[digit + 1]++;
  if (ends[digits[0] + 1] === digits.length) return undefined;
  for (let digit = 0; digit < DIGITS; digit++) ends[digit + 1] += ends[digit];
  const sorted = new Uint32Array(order.length);
  for (const row of order) sorted[ends[digits[row]]++] = row;
  return sorted;
}

function putLongerFirst(order: Uint32Array, starts: Float64Array, durations: NumberArray): void {
  for (let from = 0, to = 0; from < order.length; from = to) {
    const start = starts[order[from]];
    do to++;
    while (to < order.length && starts[order[to]] === start);
    if (to - from > 1)
      order.subarray(from, to).sort((a, b) => durations[b] - durations[a] || a - b);
  }
}
