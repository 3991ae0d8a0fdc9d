import type { EventLane } from '../../../src-main/timeline/pyramid.ts';
import type { TimeWindow } from '../../../src-main/timeline/time-window.ts';
import { type EventTrack, isEventTrack } from '../../../src-main/timeline/track-model.ts';
import { type NameStatistics, rangeStatistics } from '../../lib/range-statistics.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';

/** Whose events a range's statistics count. */
interface RangeScope {
  readonly label: string;
  readonly tracks: readonly EventTrack[];
}

/** The focused track, or all CUDA calls where that has no durations. */
export function rangeScope(timeline: TimelineState): RangeScope {
  const row = timeline.tracks.focused;
  if (row?.kind === 'track' && isEventTrack(row.track) && row.track.kind !== 'marks')
    return { label: timeline.labelOf(row), tracks: [row.track] };
  const tracks = timeline.groups
    .flatMap((group) => group.tracks)
    .filter(isEventTrack)
    .filter((track) => track.table === 'cuda_call');
  return { label: 'CUDA calls', tracks };
}

/** Statistics of all events of the scope, nested ones too, by name. */
export function* scopeStatistics(
  scope: RangeScope,
  range: TimeWindow,
): Generator<undefined, NameStatistics[]> {
  const owners = new Map<EventLane, EventTrack>();
  for (const track of scope.tracks) {
    const ground = track.ground?.();
    for (const lane of track.lanes()) owners.set(lane, track);
    if (ground !== undefined) owners.set(ground, track);
  }
  const nameOf = (lane: EventLane, index: number) => owners.get(lane)?.nameOf(lane, index) ?? '';
  return yield* rangeStatistics([...owners.keys()], range, nameOf);
}
