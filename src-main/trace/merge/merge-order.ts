/**
 * For each list of times in ascending order, the places of its elements when all are brought in one
 * ascending order; of equal times those of the earlier list come first.
 */
export function placesInOrder(lists: readonly Float64Array[]): Uint32Array[] {
  const times = new Float64Array(lists.reduce((rows, { length }) => rows + length, 0));
  const runs: Uint32Array[] = [];
  let base = 0;
  for (const list of lists) {
    times.set(list, base);
    runs.push(Uint32Array.from(list, (_, row) => base + row));
    base += list.length;
  }
  const order = mergeRuns(runs, times);
  const places = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) places[order[at]] = at;
  let from = 0;
  return lists.map(({ length }) => {
    from += length;
    return places.subarray(from - length, from);
  });
}

/** Two and two, so that many lists cost no more passes than their number has binary digits. */
function mergeRuns(runs: readonly Uint32Array[], times: Float64Array): Uint32Array {
  let left = runs;
  while (left.length > 1)
    left = Array.from({ length: Math.ceil(left.length / 2) }, (_, at) =>
      mergeTwo(left[2 * at], left[2 * at + 1] ?? new Uint32Array(0), times),
    );
  return left[0] ?? new Uint32Array(0);
}

function mergeTwo(first: Uint32Array, second: Uint32Array, times: Float64Array): Uint32Array {
  if (second.length === 0) return first;
  const merged = new Uint32Array(first.length + second.length);
  let a = 0;
  let b = 0;
  for (let at = 0; at < merged.length; at++) {
    const isFirst =
      b === second.length || (a < first.length && times[first[a]] <= times[second[b]]);
    merged[at] = isFirst ? first[a++] : second[b++];
  }
  return merged;
}
