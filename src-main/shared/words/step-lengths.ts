import type { StepSummary } from '../answers/steps.ts';
import { formatCount, formatDuration } from '../text/units.ts';

/** How long the steps are, as a sentence; empty where none were found. A middle of two kinds would be of neither. */
export function stepLengths({ count, typical }: Pick<StepSummary, 'count' | 'typical'>): string {
  if (typical === undefined) return '';
  if (typical.kinds === undefined)
    return `${formatCount(count)} steps, half of them up to ${formatDuration(typical.durationNs)}, 95 % up to ${formatDuration(typical.p95Ns)}.`;
  const [short, long] = typical.kinds.map(
    (kind) => `${formatCount(kind.count)} of about ${formatDuration(kind.medianNs)}`,
  );
  return `${formatCount(count)} steps of two kinds: ${short} and ${long}.`;
}
