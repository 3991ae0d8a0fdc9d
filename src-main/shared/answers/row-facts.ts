import type { Contention } from './explanation.ts';

/** What is told of one row of a table. */
export interface RowFacts {
  /** What it holds, by column: as in its columns, so below 0 is not known. */
  readonly values: Readonly<Record<string, number>>;
  /** Of a stretch off the CPU: who ran while its thread was ready to. Absent where nothing shows that it was. */
  readonly contention?: Contention;
  /** Of work of a GPU: the call that asked for it, where that is recorded. */
  readonly submitter?: Submitter;
  /** Of work of a GPU: its name with all that the one on its track leaves out, where that is more. */
  readonly fullName?: string;
}

/** The call that asked for a piece of GPU work. */
export interface Submitter {
  /** Row of cuda_call. */
  readonly row: number;
  readonly name: string;
  readonly thread: string;
  /** How long the work was queued, in words. */
  readonly delay: string;
  /** Which of how many pieces of work of that call this is, where there are several. */
  readonly place?: { readonly number: number; readonly of: number };
}
