import type { StepKind, StepSummary } from '../answers/steps.ts';
import { formatCount, formatDuration } from '../text/units.ts';

/** How long the steps are, as a sentence; empty where none were found. A middle of two kinds would be of neither. */
export function stepLengths({ count, typical }: Pick<StepSummary, 'count' | 'typical'>): string {
  if (typical === undefined) return '';
  if (typical.kinds === undefined)
    return `${formatCount(count)} steps, half of them up to ${formatDuration(typical.durationNs)}, 95 % up to ${formatDuration(typical.p95Ns)}.`;
  return `${formatCount(count)} steps of two kinds: ${stepKindsText(typical.kinds)}.`;
}

/** `270 of about 9.265 ms and 30 of about 73.24 ms`. */
export function stepKindsText(kinds: readonly [StepKind, StepKind]): string {
  return kinds
    .map(({ count, medianNs }) => `${formatCount(count)} of about ${formatDuration(medianNs)}`)
    .join(' and ');
}

/**
 * What shares of the judged time are of: `the mean step of 42.03 ms`. Where steps are of two kinds no step is as long as
 * the mean: `the time of its steps (270 of about 9.265 ms and 30 of about 73.24 ms)`.
 */
export function stepTimeText(
  { typical, count }: Pick<StepSummary, 'count' | 'typical'>,
  lengthNs: number,
): string {
  if (typical?.kinds !== undefined)
    return `the time of its steps (${stepKindsText(typical.kinds)})`;
  return `the mean step of ${formatDuration(typical?.meanNs ?? lengthNs / count)}`;
}
