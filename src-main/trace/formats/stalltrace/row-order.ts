const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;
const LOW = 2 ** 32;

/** Whether `starts` never falls. */
export function isSorted(starts: Float64Array): boolean {
  for (let row = 1; row < starts.length; row++)
    if ((starts[row] as number) < (starts[row - 1] as number)) return false;
  return true;
}

function sortByDigit(order: Uint32Array, digits: Uint16Array): Uint32Array<ArrayBuffer> | null {
  const ends = new Uint32Array(DIGITS + 1);
  for (const digit of digits) ends[digit + 1] = (ends[digit + 1] as number) + 1;
  if (ends[(digits[0] as number) + 1] === digits.length) return null;
  for (let digit = 0; digit < DIGITS; digit++)
    ends[digit + 1] = (ends[digit + 1] as number) + (ends[digit] as number);
  const sorted = new Uint32Array(order.length);
  for (const row of order) {
    const digit = digits[row] as number;
    const place = ends[digit] as number;
    ends[digit] = place + 1;
    sorted[place] = row;
  }
  return sorted;
}

/**
 * The rows in ascending order of `starts`, equal ones as they stood: the argument of
 * reorderColumns. Starts are integers from 0 to 2^53. A radix sort: rows are written when an
 * interval ends, so every capture arrives unsorted, and comparing 10 million rows takes seconds.
 */
export function orderByStart(starts: Float64Array): Uint32Array<ArrayBuffer> {
  let order = new Uint32Array(starts.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  const digits = new Uint16Array(starts.length);
  for (let pass = 0; pass < 4; pass++) {
    const shift = (pass % 2) * DIGIT_BITS;
    for (let row = 0; row < digits.length; row++) {
      const start = starts[row] as number;
      const half = pass < 2 ? start % LOW : Math.floor(start / LOW);
      digits[row] = half >>> shift;
    }
    order = sortByDigit(order, digits) ?? order;
  }
  return order;
}
