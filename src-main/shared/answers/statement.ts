/** A cell of a result: an integer beyond 2^53 is its digits, a blob is `x'…'`. */
export type StatementCell = number | string | null;

/** What is known of a statement before its first row. */
export interface StatementStart {
  readonly columns: readonly string[];
  /** Columns it reads, as `table.column`, that this trace does not have: they are NULL in every row. */
  readonly notRecorded: readonly string[];
}

export interface StatementRows {
  readonly rows: readonly (readonly StatementCell[])[];
  /** There are no more. */
  readonly done: boolean;
}
