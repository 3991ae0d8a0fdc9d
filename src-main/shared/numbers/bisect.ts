/**
 * Binary search, by the names of C++: where a limit stands in values that never fall. The values are
 * looked at from index `from` up to `to`, which is also the answer where none is as high.
 */

type Values = Float64Array | Int32Array;

/** The first index whose value is at least `limit`. */
export function lowerBound(values: Values, limit: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] >= limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first index whose value is above `limit`. */
export function upperBound(values: Values, limit: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `lowerBound` of what `read` gives of each item. */
export function lowerBoundBy<Item>(
  items: ArrayLike<Item>,
  limit: number,
  read: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (read(items[middle] as Item) >= limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `upperBound` of what `read` gives of each item. */
export function upperBoundBy<Item>(
  items: ArrayLike<Item>,
  limit: number,
  read: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (read(items[middle] as Item) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
