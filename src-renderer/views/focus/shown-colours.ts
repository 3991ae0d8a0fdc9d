import type { EventLane } from '../../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import { isEventTrack, type Track } from '../../../src-main/timeline/model/track-model.ts';
import { shownLanes, type TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';

/** Whether the legend of the picture is of a track: what a thread did, or who had a CPU. */
export const isExplained = ({ id, kind }: Track): boolean =>
  kind === 'states' || id.startsWith('on_cpu:');

/** Adds the colours of a lane's events within a window; its events are in order of their starts. */
function addColours(
  { length, times, colours }: EventLane,
  { startNs, endNs }: TimeWindow,
  into: Set<number>,
): void {
  for (let at = 0; at < length; at++) {
    const fromNs = times.startNs(at);
    if (fromNs >= endNs) return;
    if (fromNs + times.durationNs(at) > startNs) into.add(colours[at]);
  }
}

/** Indexes into the palette of what rows were last drawn with, within a window. */
export function shownColours(rows: readonly TrackRow[], window: TimeWindow): ReadonlySet<number> {
  const shown = new Set<number>();
  for (const row of rows) {
    const ground = isEventTrack(row.track) ? row.track.ground?.() : undefined;
    if (ground !== undefined) addColours(ground, window, shown);
    for (const lane of shownLanes(row)) addColours(lane, window, shown);
  }
  return shown;
}
