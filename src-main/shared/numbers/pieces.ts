/** What is worked out in pieces: each `yield` ends one, and others can be answered before the next. */
export type Pieces<Value> = Generator<undefined, Value>;

/** All pieces one after another. */
export function atOnce<Value>(pieces: Pieces<Value>): Value {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Rows of one piece: some milliseconds. */
export const ROWS_OF_A_PIECE = 2 ** 17;

/** Whether a piece that goes over rows ends before this one. */
export const endsPiece = (row: number): boolean => row > 0 && row % ROWS_OF_A_PIECE === 0;
