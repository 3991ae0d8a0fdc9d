import { pickEvents } from './lanes.ts';
import { buildLane, type EventLane, visitLongEvents } from './pyramid.ts';
import { nameMatcher, type TrackFilter } from './track-filter.ts';
import type { EventTrack } from './track-model.ts';

/** The last answer per lane: the filter changes with every letter typed. */
const kept = new WeakMap<EventLane, { readonly filter: TrackFilter; readonly lane: EventLane }>();

/** The events of a lane that the filter picks. */
export function matchedLane(track: EventTrack, lane: EventLane, filter: TrackFilter): EventLane {
  const known = kept.get(lane);
  if (known?.filter === filter) return known.lane;
  const matchesName = filter.eventNames.length === 0 ? undefined : nameMatcher(filter);
  const picked: number[] = [];
  visitLongEvents(lane, 0, lane.length, filter.minimumNs, (index) => {
    if (matchesName === undefined || matchesName(track.nameOf(lane, index))) picked.push(index);
  });
  const matched = buildLane(pickEvents(lane, picked));
  kept.set(lane, { filter, lane: matched });
  return matched;
}
