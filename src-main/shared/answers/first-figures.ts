import type { TableName } from '../model/schema.ts';
import type { OperationStats } from './operations.ts';

/**
 * What is known of a large trace while its file is still read, from the CUDA calls and the GPU work that were read
 * until then. JSON-safe, and short: it is sent by a process that is busy reading.
 */
export interface FirstFigures {
  /** What these figures are of. */
  readonly tables: readonly FirstTable[];
  /** Statistics over what was read, in the order of the table; they name no row: rows have no numbers yet. */
  readonly operations: readonly OperationStats[];
  /** How many more operations there are. */
  readonly operationsLeftOut: number;
  readonly timeline: FirstTimeline;
}

/** How far a table was read. */
interface FirstTable {
  readonly table: TableName;
  readonly rows: number;
  /** Nothing more comes of it. */
  readonly isWhole: boolean;
}

/** How busy threads and streams were, in stretches of equal length. */
export interface FirstTimeline {
  readonly lengthNs: number;
  /** Those with most events. */
  readonly lanes: readonly FirstLane[];
  /** How many more threads and streams have events. */
  readonly lanesLeftOut: number;
}

export interface FirstLane {
  readonly label: string;
  /** Whose events are drawn on it. */
  readonly table: 'cuda_call' | 'gpu_work';
  /** Of each stretch of the trace, how much of it was busy, in percent; above 0 where it was at all. */
  readonly busyPercent: readonly number[];
}
