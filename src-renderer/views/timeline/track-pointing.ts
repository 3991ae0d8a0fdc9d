import { type TimeWindow, timeScale } from '../../../src-main/timeline/model/time-window.ts';
import { isEventTrack, type LaneView } from '../../../src-main/timeline/model/track-model.ts';
import { GROUND } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { viewOf } from '../../../src-main/timeline/view/chart-span.ts';
import { rowAt, rowWithId } from '../../../src-main/timeline/view/find-rows.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import type { SubmissionScene } from '../../chart/draw-submissions.ts';
import { eventAt, laneAt, snapMoment } from '../../chart/hit-test.ts';
import type { MarkedEvent } from '../../chart/marked-event.ts';
import { inLayout, type RowScroll, rowsBetween } from '../../chart/row-scroll.ts';
import { clamp } from '../../lib/clamp.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';

/** How far range edges jump to an event's edge, CSS pixels. */
const SNAP_PIXELS = 6;

/** A point on the canvas, CSS pixels, and how the rows lie on it. */
export interface CanvasPoint {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly scroll: RowScroll;
  /** Device pixels of a CSS pixel. */
  readonly pixelRatio: number;
}

const momentAt = (timeline: TimelineState, { x, width }: CanvasPoint): number =>
  timeScale(timeline.viewport.window, width).invert(x);

const nsPerPixel = (timeline: TimelineState, width: number) =>
  (timeline.viewport.window.endNs - timeline.viewport.window.startNs) / width;

/** As the lanes are drawn. */
function viewAt({ viewport }: TimelineState, { width, pixelRatio }: CanvasPoint): LaneView {
  return viewOf({ window: viewport.window, width, pixelRatio });
}

function laneUnder(timeline: TimelineState, point: CanvasPoint): ReturnType<typeof laneAt> {
  const y = inLayout(point.y, point.scroll);
  const row = rowAt(timeline.tracks.layout, y);
  return row?.kind === 'track' ? laneAt(row, y - row.y, viewAt(timeline, point)) : undefined;
}

export function hitAt(timeline: TimelineState, point: CanvasPoint): EventHit | undefined {
  const row = rowAt(timeline.tracks.layout, inLayout(point.y, point.scroll));
  const under = laneUnder(timeline, point);
  if (row?.kind !== 'track' || under === undefined || !isEventTrack(row.track)) return undefined;
  const { track } = row;
  const ground = track.ground?.(viewAt(timeline, point));
  for (const { lane, line } of [
    under,
    ...(ground === undefined ? [] : [{ lane: ground, line: GROUND }]),
  ]) {
    const scale = nsPerPixel(timeline, point.width);
    const index = eventAt(lane, momentAt(timeline, point), scale);
    if (index >= 0) return { track, lane, index, line };
  }
  return undefined;
}

/** The range between two points; its edges snap to events of the lane under each unless Alt is held. */
export function rangeBetween(
  timeline: TimelineState,
  from: CanvasPoint,
  to: CanvasPoint,
  snaps: boolean,
): TimeWindow {
  const reachNs = SNAP_PIXELS * nsPerPixel(timeline, to.width);
  const moments = [from, to].map((point) => {
    const ns = Math.round(momentAt(timeline, point));
    return snaps ? snapMoment(laneUnder(timeline, point)?.lane, ns, reachNs) : ns;
  });
  return stretchOf(timeline, moments);
}

/** Ids of the tracks between two points; of a folded group all that are shown once it is opened. */
export function tracksBetween(
  { tracks }: TimelineState,
  from: CanvasPoint,
  to: CanvasPoint,
): readonly string[] {
  const rows = rowsBetween(tracks.layout, to.scroll, from.y, to.y);
  return rows.flatMap((row) => {
    if (row.kind === 'track') return [row.track.id];
    return row.collapsed ? tracks.shownOf(row.group).map(({ id }) => id) : [];
  });
}

/** The range between two places of a chart's width, its edges as they are. */
export function stretchBetween(
  timeline: TimelineState,
  fromX: number,
  toX: number,
  width: number,
): TimeWindow {
  const scale = timeScale(timeline.viewport.window, width);
  return stretchOf(
    timeline,
    [fromX, toX].map((x) => Math.round(scale.invert(x))),
  );
}

function stretchOf({ viewport }: TimelineState, moments: readonly number[]): TimeWindow {
  const [startNs = 0, endNs = 0] = moments
    .map((ns) => clamp(ns, 0, viewport.lengthNs))
    .sort((a, b) => a - b);
  return { startNs, endNs };
}

/** The selected event and what it is linked with, as far as their rows are laid out. */
export function markedSubmissions(timeline: TimelineState): SubmissionScene | undefined {
  const { links } = timeline;
  if (links === undefined) return undefined;
  const works = links.works.map((hit) => markedEvent(timeline, hit));
  return {
    call: markedEvent(timeline, links.call),
    works: works.filter((marked) => marked !== undefined),
  };
}

/** An event with the row it is drawn in, if that is laid out. */
export function markedEvent(
  timeline: TimelineState,
  hit: EventHit | undefined,
): MarkedEvent | undefined {
  if (hit === undefined) return undefined;
  const row = rowWithId(timeline.tracks.layout, hit.track.id);
  return row?.kind === 'track'
    ? { row, lane: hit.lane, index: hit.index, line: hit.line ?? 0 }
    : undefined;
}
