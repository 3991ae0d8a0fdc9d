import {
  type EventColumns,
  eventColumns,
  remember,
} from '../../../src-main/timeline/model/event-source.ts';
import { type EventLane, firstStartingAt } from '../../../src-main/timeline/model/pyramid.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { isEventTrack, type Track } from '../../../src-main/timeline/model/track-model.ts';
import { shownLanes, type TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import { matchedLane } from '../../../src-main/timeline/view/matched-lanes.ts';
import type { TrackFilter } from '../../../src-main/timeline/view/track-filter.ts';

/** How many of the slowest calls the keys go through. */
const SLOW_CALLS = 1_000;

/** The event of `lanes` that starts next after (`by` = 1) or last before (-1) a moment. */
function neighbourInLane(lane: EventLane, fromNs: number, by: 1 | -1): number {
  if (by === -1) return firstStartingAt(lane, fromNs) - 1;
  const after = firstStartingAt(lane, fromNs + 1);
  return after < lane.length ? after : -1;
}

function nearest(hits: readonly EventHit[], by: 1 | -1): EventHit | undefined {
  const startOf = ({ lane, index }: EventHit) => by * lane.startNs[index];
  return hits.reduce<EventHit | undefined>(
    (best, hit) => (best === undefined || startOf(hit) < startOf(best) ? hit : best),
    undefined,
  );
}

/** The neighbour in time on one track, of the lanes that are shown. */
export function neighbourOnTrack(
  track: Track,
  lanes: readonly EventLane[],
  fromNs: number,
  by: 1 | -1,
): EventHit | undefined {
  if (!isEventTrack(track)) return undefined;
  const hits = lanes.flatMap((lane) => {
    const index = neighbourInLane(lane, fromNs, by);
    return index < 0 ? [] : [{ track, lane, index }];
  });
  return nearest(hits, by);
}

/** The next event after a moment, on any line of the rows, that the filter picks. */
export function neighbourMatch(
  rows: readonly TrackRow[],
  filter: TrackFilter,
  fromNs: number,
  by: 1 | -1,
): EventHit | undefined {
  const hits = rows.flatMap((row) => {
    const { track } = row;
    if (!isEventTrack(track)) return [];
    // The summary of CUDA calls has the outermost only: a nested one that matches is found as well.
    const all = track.table === 'cuda_call' ? track.lanes() : shownLanes(row);
    const lanes = all.map((lane) => matchedLane(track, lane, filter));
    return neighbourOnTrack(track, lanes, fromNs, by) ?? [];
  });
  return nearest(hits, by);
}

/** The longest rows of cuda_call that no other call encloses, longest first. */
export function slowCalls(data: TraceData): Uint32Array {
  const columns = eventColumns(data.tables, 'cuda_call') as
    | (EventColumns & { parent?: Int32Array })
    | undefined;
  const { durationNs, parent } = columns ?? {};
  if (columns === undefined || durationNs === undefined) return new Uint32Array(0);
  return remember(columns, 'slow calls', () => {
    const outer = new Uint32Array(durationNs.length);
    let count = 0;
    for (let row = 0; row < durationNs.length; row++)
      if ((parent?.[row] ?? -1) < 0) outer[count++] = row;
    const longest = longestRows(durationNs, outer.subarray(0, count));
    return longest.sort((a, b) => durationNs[b] - durationNs[a] || a - b);
  });
}

/** The SLOW_CALLS rows with the longest durations, in any order: found by a threshold, not by sorting all. */
function longestRows(durationNs: Float64Array, rows: Uint32Array): Uint32Array {
  if (rows.length <= SLOW_CALLS) return rows.slice();
  const durations = Float64Array.from(rows, (row) => durationNs[row]).sort();
  const limit = durations[durations.length - SLOW_CALLS];
  return rows.filter((row) => durationNs[row] >= limit).slice(0, SLOW_CALLS);
}
