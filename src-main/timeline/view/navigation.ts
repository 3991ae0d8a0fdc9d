import type { NumberArray } from '../../shared/model/columns.ts';
import { type EventColumns, eventColumns } from '../model/event-source.ts';
import { type EventLane, firstStartingAt } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { EventTrack } from '../model/track-model.ts';
import type { EventHit } from './locate-event.ts';
import { matchedNeighbour } from './matched-lanes.ts';
import type { TrackFilter } from './track-filter.ts';

/** How many of the slowest calls the keys go through. */
const SLOW_CALLS = 1_000;

/** The event of `lanes` that starts next after (`by` = 1) or last before (-1) a moment. */
function neighbourInLane(lane: EventLane, fromNs: number, by: 1 | -1): number {
  if (by === -1) return firstStartingAt(lane, fromNs) - 1;
  const after = firstStartingAt(lane, fromNs + 1);
  return after < lane.length ? after : -1;
}

function nearest(hits: readonly EventHit[], by: 1 | -1): EventHit | undefined {
  const startOf = ({ lane, index }: EventHit) => by * lane.times.startNs(index);
  return hits.reduce<EventHit | undefined>(
    (best, hit) => (best === undefined || startOf(hit) < startOf(best) ? hit : best),
    undefined,
  );
}

/** A row of the screen: a track, and whether it shows all its lines. */
interface ShownTrack {
  readonly track: EventTrack;
  readonly expanded: boolean;
}

/**
 * The event that starts next after a moment (`by` = 1) or last before it (-1), of the lines that are shown; with a filter of
 * those that it picks.
 */
export function neighbour(
  rows: readonly ShownTrack[],
  filter: TrackFilter | undefined,
  fromNs: number,
  by: 1 | -1,
): EventHit | undefined {
  const hits = rows.flatMap(({ track, expanded }) => {
    // The summary of CUDA calls has the outermost only: a nested one that matches is found as well.
    const isAll = expanded || (filter !== undefined && track.table === 'cuda_call');
    const lanes = isAll ? track.lanes() : [track.summary()];
    return lanes.flatMap((lane) => {
      const index =
        filter === undefined
          ? neighbourInLane(lane, fromNs, by)
          : matchedNeighbour(track, lane, filter, fromNs, by);
      return index < 0 ? [] : [{ track, lane, index }];
    });
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
function longestRows(durationNs: NumberArray, rows: Uint32Array): Uint32Array {
  if (rows.length <= SLOW_CALLS) return rows.slice();
  const durations = Float64Array.from(rows, (row) => durationNs[row]).sort();
  const limit = durations[durations.length - SLOW_CALLS];
  return rows.filter((row) => durationNs[row] >= limit).slice(0, SLOW_CALLS);
}
