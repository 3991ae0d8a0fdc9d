import type { OperationStats } from '../answers/operations.ts';
import { formatBytes, formatCount, formatDuration } from '../text/units.ts';

type Counts = Pick<OperationStats, 'count' | 'counted'>;
type Times = Counts & Pick<OperationStats, 'totalNs' | 'maxNs' | 'onlySums'>;
type Sizes = Counts & Pick<OperationStats, 'bytes' | 'onlySums'>;

/**
 * How many events of an operation there were: `16 of 30` stored of recorded. The recorder counted per
 * operation: a row that is a part of one can only say that it is not all, `≥ 8`.
 */
export function countText({ count, counted }: Counts): string {
  if (counted === undefined) return formatCount(count);
  return count === counted.stored
    ? `${formatCount(count)} of ${counted.isSeenInWindows ? '≥ ' : ''}${formatCount(counted.counted)}`
    : `≥ ${formatCount(count)}`;
}

/** How long they took together, the same way: `441.2 ms of 665.6 ms`; nothing where no time is known. */
export function totalText({ count, counted, totalNs, maxNs, onlySums }: Times): string {
  const isTimed = onlySums ? totalNs >= 0 : totalNs > 0 || maxNs > 0;
  if (!isTimed) return '';
  if (counted === undefined) return formatDuration(totalNs);
  if (counted.totalNs === undefined || count !== counted.stored)
    return `≥ ${formatDuration(totalNs)}`;
  const all = `${counted.isAtLeast ? '≥ ' : ''}${formatDuration(counted.totalNs)}`;
  return `${formatDuration(counted.storedNs ?? 0)} of ${all}`;
}

/** The longest of all that happened, as far as it is known: the recorder's may be longer than those stored. */
export function longestNs({ count, counted, maxNs }: Times): number {
  return count === counted?.stored ? Math.max(maxNs, counted.maxNs ?? -1) : maxNs;
}

/** Their bytes, the same way: `≥` where the sums tell no sizes; nothing where they have none. */
export function bytesText({ count, counted, bytes }: Sizes): string {
  if (counted === undefined) return bytes > 0 ? formatBytes(bytes) : '';
  if (counted.bytes === undefined || count !== counted.stored)
    return bytes > 0 ? `≥ ${formatBytes(bytes)}` : '';
  return `${formatBytes(counted.storedBytes ?? 0)} of ${formatBytes(counted.bytes)}`;
}

/** Where not all are stored, how that is known. */
export function countHint({ count, counted }: Counts): string | undefined {
  if (counted === undefined) return undefined;
  const whole = count === counted.stored ? '' : ' of all directions and sizes';
  const windows = counted.isSeenInWindows ? ' in the windows in which they were probed' : '';
  return `${formatCount(counted.counted)}${whole} were recorded${windows}, ${formatCount(counted.stored)} are stored`;
}

/** The same of their time. */
export function totalHint({ count, counted }: Counts): string | undefined {
  if (counted?.totalNs === undefined) return undefined;
  const whole = count === counted.stored ? '' : ' of all directions and sizes';
  const least = counted.isAtLeast ? 'at least ' : '';
  return `${least}${formatDuration(counted.totalNs)}${whole} by the recorder’s sums, ${formatDuration(counted.storedNs ?? 0)} in what is stored`;
}
