import type { Contention } from './explanation.ts';

/** What is told of one row of a table. */
export interface RowFacts {
  /** What it holds, by column: as in its columns, so below 0 is not known. */
  readonly values: Readonly<Record<string, number>>;
  /** Of a stretch off the CPU: who ran while its thread was ready to. Absent where nothing shows that it was. */
  readonly contention?: Contention;
}
