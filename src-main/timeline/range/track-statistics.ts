import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import type { EventLane } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { EventTrack } from '../model/track-model.ts';
import type { KeyOfEvent } from './range-keys.ts';
import { rangeStatistics } from './range-statistics.ts';

/** Statistics of all events of the tracks, nested ones too, by what `keyOf` says of each. */
export function* trackStatistics(
  tracks: readonly EventTrack[],
  range: TimeWindow,
  keyOf: KeyOfEvent,
): Generator<undefined, NameStatistics[]> {
  const owners = new Map<EventLane, EventTrack>();
  for (const track of tracks) {
    const ground = track.ground?.();
    for (const lane of track.lanes()) owners.set(lane, track);
    if (ground !== undefined) owners.set(ground, track);
  }
  const nameOf = (lane: EventLane, index: number) => {
    const track = owners.get(lane);
    return track === undefined ? '' : keyOf(track, lane, index);
  };
  return yield* rangeStatistics([...owners.keys()], range, nameOf);
}
