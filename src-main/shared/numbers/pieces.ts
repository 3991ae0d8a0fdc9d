/** What is worked out in pieces: each `yield` ends one, and others can be answered before the next. */
export type Pieces<Value> = Generator<undefined, Value>;

/** All pieces one after another. */
export function atOnce<Value>(pieces: Pieces<Value>): Value {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Rows of one piece: a few milliseconds. */
export const ROWS_OF_A_PIECE = 2 ** 17;

/** Whether the number that `at` gives for each of `rows` rows is no less than that of the row before: NaN falls. In pieces. */
export function* neverFalls(rows: number, at: (row: number) => number): Pieces<boolean> {
  let last = Number.NEGATIVE_INFINITY;
  let holds = true;
  yield* inPieces(rows, (from, to) => {
    for (let row = from; row < to && holds; row++) {
      const next = at(row);
      holds = next >= last;
      last = next;
    }
  });
  return holds;
}

/**
 * Goes over `rows` rows in pieces: `each` does those from `from` up to `to`. A loop belongs in there, not in a generator:
 * what an engine compiles of a loop it leaves with each `yield`. `ofAPiece`: how many rows one has.
 */
export function* inPieces(
  rows: number,
  each: (from: number, to: number) => void,
  ofAPiece = ROWS_OF_A_PIECE,
): Pieces<void> {
  for (let from = 0; from < rows; from += ofAPiece) {
    if (from > 0) yield;
    each(from, Math.min(rows, from + ofAPiece));
  }
}
