import type { IdleStretches, StepSummary } from '../../shared/answers/steps.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Columns } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';

/** The columns of a trace: of tables with rows only. */
export type LoadedTables = { readonly [T in TableName]?: Partial<Columns<T>> };

/** The steps of one rank. */
export interface StepsOfRank {
  readonly label: string;
  /** Index into threads. */
  readonly mainThread: number;
  /** Index into gpus of the one that it uses, where that is known. */
  readonly gpu?: number;
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

/** A trace as the screens have it: what happened in it is asked for. Immutable. */
export interface TraceView {
  readonly traceId: string;
  readonly summary: TraceSummary;
  /** Absent as long as the trace was not judged. */
  readonly steps?: readonly StepsOfRank[];
}

/** A trace with all that happened in it. */
export interface TraceData extends TraceView {
  readonly tables: LoadedTables;
}
