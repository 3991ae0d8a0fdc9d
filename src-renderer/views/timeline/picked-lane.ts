import { buildLane, type EventLane, ownEvents } from '../../../src-main/timeline/model/pyramid.ts';
import { isEventTrack, type LaneView } from '../../../src-main/timeline/model/track-model.ts';
import { SUMMARY } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { shownLanes, type TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import { matchedLane } from '../../../src-main/timeline/view/matched-lanes.ts';
import type { TrackFilter } from '../../../src-main/timeline/view/track-filter.ts';

const NOTHING = buildLane(
  ownEvents({
    startNs: new Float64Array(0),
    durationNs: new Float64Array(0),
    rows: new Uint32Array(0),
    colours: new Uint8Array(0),
  }),
);

/** Of a line of a row the events that a filter picks: worked out here, or asked for as the lane itself. */
export function pickedLane(filter: TrackFilter, text: string) {
  return (row: TrackRow, line: number, view: LaneView): EventLane => {
    const { track, expanded } = row;
    if (!isEventTrack(track)) return NOTHING;
    if (track.picked !== undefined) return track.picked(text, expanded ? line : SUMMARY, view);
    const lane = shownLanes(row, view)[line];
    return lane === undefined ? NOTHING : matchedLane(track, lane, filter);
  };
}
