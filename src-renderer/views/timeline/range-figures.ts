import type {
  NameStatistics,
  RangeFigures,
  RangeKey,
} from '../../../src-main/shared/answers/range-figures.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { EventTrack } from '../../../src-main/timeline/model/track-model.ts';
import { finished } from '../../../src-main/timeline/range/finished.ts';
import { keyOfEvent } from '../../../src-main/timeline/range/range-keys.ts';
import { trackStatistics } from '../../../src-main/timeline/range/track-statistics.ts';
import { numberOf } from '../../state/timeline/remote-tracks.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';

export const keyLabels: Readonly<Record<RangeKey, string>> = {
  name: 'Name',
  thread: 'Thread',
  process: 'Process',
  track: 'Track',
};

const bySum = (a: NameStatistics, b: NameStatistics) => b.totalNs - a.totalNs || b.count - a.count;

/**
 * The figures of a range of tracks, by one key or by two: of tracks that the page has whole, and of those that it asks about.
 * Undefined where these could not be asked, or nobody wants them any more.
 */
export async function rangeFigures(
  { data, source }: TimelineState,
  tracks: readonly EventTrack[],
  range: TimeWindow,
  keys: readonly [RangeKey] | readonly [RangeKey, RangeKey],
  withUnstored: boolean,
  signal: AbortSignal,
): Promise<RangeFigures | undefined> {
  const own = tracks.filter((track) => numberOf(track) === undefined);
  const here = finished(trackStatistics(own, range, keyOfEvent(data, keys)));
  const numbers = tracks.map(numberOf).filter((number) => number !== undefined);
  if (numbers.length === 0) return { statistics: here, unstored: [] };
  const there = await source.range(numbers, range, keys, withUnstored, signal);
  if (there === undefined) return undefined;
  return { statistics: [...here, ...there.statistics].sort(bySum), unstored: there.unstored };
}
