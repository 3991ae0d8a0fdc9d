import { partitionEvents } from '../../lib/lanes.ts';
import { buildLane, type EventLane } from '../../lib/pyramid.ts';
import { matchesEvent, type TrackFilter } from '../../lib/track-filter.ts';
import type { EventTrack } from '../../lib/track-model.ts';

/** The last answer per lane: the filter changes with every letter typed. */
const kept = new WeakMap<EventLane, { readonly filter: TrackFilter; readonly lane: EventLane }>();

/** The events of a lane that the filter picks. */
export function matchedLane(track: EventTrack, lane: EventLane, filter: TrackFilter): EventLane {
  const known = kept.get(lane);
  if (known?.filter === filter) return known.lane;
  const [events] = partitionEvents(lane, (index) =>
    matchesEvent(filter, track.nameOf(lane, index), lane.durationNs[index] as number),
  );
  const matched = buildLane(events);
  kept.set(lane, { filter, lane: matched });
  return matched;
}
