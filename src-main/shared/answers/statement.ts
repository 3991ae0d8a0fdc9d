/** A cell of a result: an integer beyond 2^53 is its digits, a blob is `x'…'`. */
export type StatementCell = number | string | null;

/** What is known of a statement before its first row. */
export interface StatementStart {
  readonly columns: readonly string[];
  /** For each column `table.column` where it is one of a table, also through a view; null where it is worked out. */
  readonly origins: readonly (string | null)[];
  /** Columns it reads, as `table.column`, that this trace does not have: they are NULL in every row. */
  readonly notRecorded: readonly string[];
}

export interface StatementRows {
  readonly rows: readonly (readonly StatementCell[])[];
  /** There are no more. */
  readonly done: boolean;
}

/** What a statement answered, as far as a screen takes it. */
export interface StatementResult extends StatementStart {
  readonly rows: readonly (readonly StatementCell[])[];
  /** There were more rows, which are left out. */
  readonly isCut: boolean;
  /** How long it ran, without writing the tables that it reads, ms. */
  readonly tookMs: number;
}

interface StatementColumn {
  readonly name: string;
  /** `ns`, `bytes`, `id` …; empty: none. */
  readonly unit: string;
  readonly doc: string;
}

/** A table or view that a statement can read. */
export interface StatementTable {
  readonly name: string;
  readonly kind: 'view' | 'events' | 'entities';
  readonly doc: string;
  /** How many rows it has in this trace; absent where nobody counts them. */
  readonly rows?: number;
  readonly columns: readonly StatementColumn[];
}
