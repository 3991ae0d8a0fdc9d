import type { TraceSummary } from '../answers/summary.ts';

type Calls = Pick<TraceSummary, 'tables' | 'hasSummedCalls'>;

/**
 * Whether the file has sums of CUDA calls and not a single one. By what is in it: a table whose rows are
 * all lost is not said to be aggregated, and one that is may have lost its sums.
 */
export function hasSumsOnly({ tables, hasSummedCalls }: Calls): boolean {
  return tables.cuda_call.rows === 0 && hasSummedCalls;
}

/** Why no call of a trace without single CUDA calls can be explained. */
export function whyNoCalls(summary: Calls): string {
  return hasSumsOnly(summary)
    ? 'The recorder kept only sums of CUDA calls, so none can be explained on its own.'
    : 'This trace has no CUDA calls to explain.';
}
