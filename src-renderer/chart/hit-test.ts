import {
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  latestEndBefore,
  summarizeStretch,
} from '../../src-main/timeline/model/pyramid.ts';
import type { LaneView } from '../../src-main/timeline/model/track-model.ts';
import {
  shownLanes,
  TRACK_PADDING,
  type TrackRow,
} from '../../src-main/timeline/view/layout-tracks.ts';

/** How far beside an event the pointer may be, CSS pixels. */
const REACH_PIXELS = 3;
/** Overlapping events looked through for the one on top. */
const OVERLAP_LIMIT = 64;

/**
 * The event drawn at a moment, -1 = none: of several in its pixel the longest, else the one started
 * last that covers it, else the longest near it.
 */
export function eventAt(lane: EventLane, ns: number, nsPerPixel: number): number {
  const pixel = summarizeStretch(lane, ns - nsPerPixel / 2, ns + nsPerPixel / 2);
  if (pixel.count > 1) return pixel.longest;
  const started = firstStartingAt(lane, ns);
  for (let index = started - 1; index >= Math.max(0, started - OVERLAP_LIMIT); index--) {
    if (latestEndBefore(lane, index + 1) < ns) break;
    if (lane.times.startNs(index) + lane.times.durationNs(index) > ns) return index;
  }
  const reach = REACH_PIXELS * nsPerPixel;
  return summarizeStretch(lane, ns - reach, ns + reach).longest;
}

/** The lane of a row at `y` pixels from the row's top, and on which line it is, if it is on one. */
export function laneAt(
  row: TrackRow,
  y: number,
  view?: LaneView,
): { readonly lane: EventLane; readonly line: number } | undefined {
  const line = Math.floor((y - TRACK_PADDING) / (row.laneHeight + 1));
  const lane = y < TRACK_PADDING ? undefined : shownLanes(row, view)[line];
  return lane && { lane, line };
}

/** `ns` moved to the nearest start or end of an event of the lane, where one is within `reachNs`. */
export function snapMoment(lane: EventLane | undefined, ns: number, reachNs: number): number {
  if (lane === undefined) return ns;
  const next = firstStartingAt(lane, ns);
  const ended = firstEndingAt(lane, ns);
  const candidates = [
    lane.times.startNs(next),
    lane.times.startNs(next - 1),
    ended < lane.length ? latestEndBefore(lane, ended + 1) : undefined,
    ended > 0 ? latestEndBefore(lane, ended) : undefined,
  ];
  let best = ns;
  let distance = reachNs;
  for (const candidate of candidates) {
    if (candidate === undefined || Math.abs(candidate - ns) > distance) continue;
    distance = Math.abs(candidate - ns);
    best = candidate;
  }
  return best;
}
