import type { OperationStats } from '../../shared/answers/operations.ts';
import type { ProcessBreakdowns } from '../../shared/answers/process-breakdown.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { NativeCode } from '../../shared/contract/app-calls.ts';

/** What `info` prints, before it is made JSON or text. */
export interface TraceInfo {
  readonly path: string;
  readonly sizeBytes: number;
  readonly summary: TraceSummary;
  readonly operations: readonly OperationStats[];
  /** What each thread did; only looked at for JSON. */
  readonly breakdowns?: ProcessBreakdowns;
  /** Of this installation: what a large trace is read by. */
  readonly nativeCode: NativeCode;
}
