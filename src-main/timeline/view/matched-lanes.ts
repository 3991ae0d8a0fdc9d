import { pickEvents } from '../model/lanes.ts';
import { buildLane, type EventLane, firstStartingAt, visitLongEvents } from '../model/pyramid.ts';
import {
  type EventKinds,
  type EventTrack,
  isEventTrack,
  type Track,
} from '../model/track-model.ts';
import { nameMatcher, type TrackFilter } from './track-filter.ts';

interface Matched {
  /** Which kinds, and from which duration on: letters that change neither ask for the same again. */
  readonly key: string;
  readonly lane: EventLane;
}

const NONE: EventKinds = new Map();

/** The last answer per lane: the filter changes with every letter typed. */
const keptLanes = new WeakMap<EventLane, Matched>();
const keptKinds = new WeakMap<
  EventKinds,
  { readonly filter: TrackFilter; readonly kinds: ReadonlySet<number> }
>();

/** The kinds of a track's events of which the filter picks some: no event is looked at. */
function matchingKinds(track: EventTrack, filter: TrackFilter): ReadonlySet<number> {
  const all = track.kinds() ?? NONE;
  const known = keptKinds.get(all);
  if (known?.filter === filter) return known.kinds;
  const matchesName = nameMatcher(filter);
  const kinds = new Set<number>();
  for (const [kind, longestNs] of all)
    if (longestNs >= filter.minimumNs && matchesName(track.kindName(kind))) kinds.add(kind);
  keptKinds.set(all, { filter, kinds });
  return kinds;
}

/** Whether the filter picks any of a track's events; as long as these are not known it may. */
export function hasMatch(track: Track, filter: TrackFilter): boolean {
  if (!isEventTrack(track)) return false;
  return track.kinds() === undefined || matchingKinds(track, filter).size > 0;
}

function pickMatching(
  track: EventTrack,
  lane: EventLane,
  kinds: ReadonlySet<number>,
  minimumNs: number,
): EventLane {
  const picked: number[] = [];
  visitLongEvents(lane, 0, lane.length, minimumNs, (index) => {
    if (kinds.has(track.kindOf(lane, index))) picked.push(index);
  });
  return buildLane(pickEvents(lane, picked));
}

/** Of the events of a lane that the filter picks the one that starts next after (`by` = 1) or last before (-1) a moment; -1 = none. */
export function matchedNeighbour(
  track: EventTrack,
  lane: EventLane,
  filter: TrackFilter,
  fromNs: number,
  by: 1 | -1,
): number {
  const { minimumNs } = filter;
  const kinds = matchingKinds(track, filter);
  if (kinds.size === 0) return -1;
  let index = by === 1 ? firstStartingAt(lane, fromNs + 1) : firstStartingAt(lane, fromNs) - 1;
  for (; index >= 0 && index < lane.length; index += by)
    if (lane.times.durationNs(index) >= minimumNs && kinds.has(track.kindOf(lane, index)))
      return index;
  return -1;
}

/** The events of a lane that the filter picks. */
export function matchedLane(track: EventTrack, lane: EventLane, filter: TrackFilter): EventLane {
  const { minimumNs } = filter;
  const kinds = matchingKinds(track, filter);
  if (minimumNs === 0 && kinds.size === track.kinds()?.size) return lane;
  const key = `${minimumNs} ${[...kinds].join()}`;
  const known = keptLanes.get(lane);
  if (known?.key === key) return known.lane;
  const matched = pickMatching(track, lane, kinds, minimumNs);
  keptLanes.set(lane, { key, lane: matched });
  return matched;
}
