import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import type { EventLane } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { EventTrack } from '../model/track-model.ts';
import type { KeyOfEvent } from './range-keys.ts';
import { type NamedLane, rangeStatistics } from './range-statistics.ts';

/** Statistics of all events of the tracks, nested ones too, by what `keyOf` says of each. */
export function* trackStatistics(
  tracks: readonly EventTrack[],
  range: TimeWindow,
  keyOf: KeyOfEvent,
): Generator<undefined, NameStatistics[]> {
  return yield* rangeStatistics(namedLanes(tracks, keyOf), range);
}

/** The lanes of one track after the other: they are built as they are asked for. */
function* namedLanes(tracks: readonly EventTrack[], keyOf: KeyOfEvent): Generator<NamedLane> {
  for (const track of tracks) {
    const ground = track.ground?.();
    const nameOf = (lane: EventLane, index: number) => keyOf(track, lane, index);
    for (const lane of track.lanes()) yield { lane, nameOf };
    if (ground !== undefined) yield { lane: ground, nameOf };
  }
}
