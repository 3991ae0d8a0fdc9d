import type { IdleStretches, StepSummary } from '../../shared/answers/steps.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Columns } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';

/** The columns the renderer holds of one trace: tables with rows only, each with the columns it fetched. */
export type LoadedTables = { readonly [T in TableName]?: Partial<Columns<T>> };

/** The steps of one rank. */
export interface StepsOfRank {
  readonly label: string;
  /** Index into threads. */
  readonly mainThread: number;
  /** What goes through them: `the training loop`, or `the process` where nothing tells. */
  readonly owner: string;
  /** How many there are: not all of them may be in `steps`. */
  readonly count: number;
  /** How they were found. */
  readonly note: string;
  readonly steps: StepSummary['steps'];
  /** Where it is proven, without the GPU's own records, that the GPU had nothing to do. */
  readonly idle?: IdleStretches & { readonly note: string };
}

/** A trace as the screens see it. Immutable: a table that arrives later makes a new value. */
export interface TraceData {
  readonly traceId: string;
  readonly summary: TraceSummary;
  readonly tables: LoadedTables;
  /** Absent as long as the trace was not judged. */
  readonly steps?: readonly StepsOfRank[];
}
