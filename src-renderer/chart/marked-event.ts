import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type ChartSpan, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import {
  shownLanes,
  TRACK_PADDING,
  type TrackRow,
} from '../../src-main/timeline/view/layout-tracks.ts';

/** An event of a row that is on screen. */
export interface MarkedEvent {
  readonly row: TrackRow;
  readonly lane: EventLane;
  readonly index: number;
}

/** A place on the chart, CSS pixels. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where an event is drawn, cut a little beyond the chart's edges and never too narrow to be seen. */
export function outlineBox(
  span: ChartSpan,
  { row, lane, index }: MarkedEvent,
  scrollTop: number,
): Rectangle {
  const laneIndex = Math.max(0, shownLanes(row).indexOf(lane));
  const scale = pixelsPerNs(span);
  const left = (lane.startNs[index] - span.window.startNs) * scale;
  const width = lane.durationNs[index] * scale;
  const x = Math.max(left, -6);
  const right = Math.min(left + width, span.width + 6);
  const y = row.y - scrollTop + TRACK_PADDING + laneIndex * (row.laneHeight + 1);
  return { x, y, width: Math.max(3, right - x), height: row.laneHeight };
}
