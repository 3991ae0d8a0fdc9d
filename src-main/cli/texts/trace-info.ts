import type { OperationStats } from '../../shared/answers/operations.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';

/** What `info` prints, before it is made JSON or text. */
export interface TraceInfo {
  readonly path: string;
  readonly sizeBytes: number;
  readonly summary: TraceSummary;
  readonly operations: readonly OperationStats[];
}
