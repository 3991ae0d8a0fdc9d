import type { OperationStats } from '../answers/operations.ts';
import { formatCount } from '../text/units.ts';

type Counts = Pick<OperationStats, 'count' | 'counted'>;

/**
 * How many events of an operation there were: `16 of 30` stored of recorded. The recorder counted per
 * operation: a row that is a part of one can only say that it is not all, `≥ 8`.
 */
export function countText({ count, counted }: Counts): string {
  if (counted === undefined) return formatCount(count);
  return count === counted.stored
    ? `${formatCount(count)} of ${formatCount(counted.counted)}`
    : `≥ ${formatCount(count)}`;
}

/** Where not all are stored, how that is known. */
export function countHint({ count, counted }: Counts): string | undefined {
  if (counted === undefined) return undefined;
  const whole = count === counted.stored ? '' : ' of all directions and sizes';
  return `${formatCount(counted.counted)}${whole} were recorded, ${formatCount(counted.stored)} are stored`;
}
