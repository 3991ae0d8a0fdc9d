import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import type { EventLane } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { EventTrack } from '../model/track-model.ts';
import type { KeyOfEvent, KindsOfTrack } from './range-keys.ts';
import { type NamedLane, rangeStatistics } from './range-statistics.ts';

/**
 * Statistics of all events of the tracks, nested ones too, by what `keyOf` says of each. `kindsOf`: which events of a track
 * it says the same of, where that is known.
 */
export function* trackStatistics(
  tracks: readonly EventTrack[],
  range: TimeWindow,
  keyOf: KeyOfEvent,
  kindsOf?: KindsOfTrack,
): Generator<undefined, NameStatistics[]> {
  return yield* rangeStatistics(namedLanes(tracks, keyOf, kindsOf), range);
}

/** The lanes of one track after the other: they are built as they are asked for. */
function* namedLanes(
  tracks: readonly EventTrack[],
  keyOf: KeyOfEvent,
  kindsOf: KindsOfTrack | undefined,
): Generator<NamedLane> {
  for (const track of tracks) {
    const ground = track.ground?.();
    const nameOf = (lane: EventLane, index: number) => keyOf(track, lane, index);
    const kindOf = kindsOf?.(track);
    for (const lane of track.lanes()) yield { lane, nameOf, kindOf };
    if (ground !== undefined) yield { lane: ground, nameOf, kindOf };
  }
}
