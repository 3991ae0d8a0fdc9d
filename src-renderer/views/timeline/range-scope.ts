import { plural } from '../../../src-main/shared/text/units.ts';
import {
  type EventTrack,
  isEventTrack,
  threadsOf,
} from '../../../src-main/timeline/model/track-model.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';

/** Whose events a range's statistics count. */
export interface RangeScope {
  readonly label: string;
  /** Without those of states. */
  readonly events: readonly EventTrack[];
  /** Those of states; where it has none, what the threads of its events did. */
  readonly states: readonly EventTrack[];
  /** Whether its events are every CUDA call of the trace. */
  readonly isAllCalls: boolean;
}

/** The tracks it was dragged over, else the focused one, else all CUDA calls; tracks without durations do not count. */
export function rangeScope(timeline: TimelineState): RangeScope {
  const timed = timeline.allTracks.filter(isEventTrack).filter(({ kind }) => kind !== 'marks');
  const dragged = new Set(timeline.selection.rangeTracks);
  const row = timeline.tracks.focused;
  const focused = row?.kind === 'track' ? row.track.id : undefined;
  for (const isChosen of [(id: string) => dragged.has(id), (id: string) => id === focused]) {
    const tracks = timed.filter(({ id }) => isChosen(id));
    if (tracks.length > 0) return scopeOf(timeline, labelOf(tracks), tracks, timed);
  }
  const calls = timed.filter(({ table }) => table === 'cuda_call');
  return scopeOf(timeline, 'CUDA calls', calls, timed);
}

const labelOf = ([track, ...others]: readonly EventTrack[]): string =>
  track !== undefined && others.length === 0
    ? `${track.label} ${track.detail}`.trim()
    : plural(others.length + 1, 'track');

function scopeOf(
  { source }: TimelineState,
  label: string,
  tracks: readonly EventTrack[],
  all: readonly EventTrack[],
): RangeScope {
  const isState = ({ kind }: EventTrack) => kind === 'states';
  const events = tracks.filter((track) => !isState(track));
  const own = tracks.filter(isState);
  const threads = new Set(events.flatMap(threadsOf));
  const theirs = all.filter(
    (track) => isState(track) && threadsOf(track).some((thread) => threads.has(thread)),
  );
  const calls = events.filter(({ table }) => table === 'cuda_call');
  return {
    ...{ label, events, states: own.length > 0 ? own : theirs },
    isAllCalls: calls.length === events.length && calls.length === source.callers.length,
  };
}
