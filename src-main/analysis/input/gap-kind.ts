import { MAX_NAMES } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { LoopCalls } from '../loop/loop-calls.ts';

const NO_OP = MAX_NAMES;

/** Gaps between the same two operations are of one kind; `gap` is the one before call `gap`. */
export function gapKind(trace: Trace, { rows }: LoopCalls, gap: number): number {
  const { op } = trace.tables.cuda_call.columns;
  const before = gap > 0 ? op[rows[gap - 1]] : NO_OP;
  const after = gap < rows.length ? op[rows[gap]] : NO_OP;
  return before * (NO_OP + 1) + after;
}
