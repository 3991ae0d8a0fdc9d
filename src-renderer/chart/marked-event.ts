import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type ChartSpan, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import { TRACK_PADDING, type TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { onChart, type RowScroll } from './row-scroll.ts';
import type { Frame } from './surface.ts';

/** An event of a row that is on screen. */
export interface MarkedEvent {
  readonly row: TrackRow;
  readonly lane: EventLane;
  readonly index: number;
  /** Its line, where the row shows all of them; below 0 it is drawn beneath the first. */
  readonly line: number;
}

/** How far an outline goes beyond its event, CSS pixels; that of what the pointer is on is one line. */
const MARK_REACH = 3;
export const OUTLINE = 1;

/** A place on the chart, CSS pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where an event is drawn, cut a little beyond the chart's edges and never too narrow to be seen. */
export function outlineBox(
  span: ChartSpan,
  { row, lane, index, line }: MarkedEvent,
  scroll: RowScroll,
): Rectangle {
  const laneIndex = row.expanded ? Math.max(0, line) : 0;
  const scale = pixelsPerNs(span);
  const left = (lane.times.startNs(index) - span.window.startNs) * scale;
  const width = lane.times.durationNs(index) * scale;
  const x = Math.max(left, -6);
  const right = Math.min(left + width, span.width + 6);
  const y = onChart(row.y, scroll) + TRACK_PADDING + laneIndex * (row.laneHeight + 1);
  return { x, y, width: Math.max(3, right - x), height: row.laneHeight };
}

/** Whether it may lie beneath the rows that stay. */
function isUnderFixed(box: Rectangle, { row }: MarkedEvent, { fixed }: RowScroll): boolean {
  return row.y >= fixed && box.y < fixed + MARK_REACH;
}

/** What can be seen of where an event is drawn: all of it, or what is not beneath the rows that stay. */
export function shownMark(
  span: ChartSpan,
  event: MarkedEvent,
  scroll: RowScroll,
): Rectangle | undefined {
  const box = outlineBox(span, event, scroll);
  if (!isUnderFixed(box, event, scroll)) return box;
  const y = Math.max(box.y, scroll.fixed + OUTLINE);
  const height = box.y + box.height - y;
  return height > 0 ? { ...box, y, height } : undefined;
}

/** Draws an event's mark; what lies beneath the rows that stay is not drawn over them. */
export function drawMark(
  frame: Frame,
  event: MarkedEvent,
  scroll: RowScroll,
  draw: (box: Rectangle) => void,
): void {
  const box = outlineBox(frame, event, scroll);
  if (!isUnderFixed(box, event, scroll)) {
    draw(box);
    return;
  }
  const { context, width, height } = frame;
  context.save();
  context.beginPath();
  context.rect(0, scroll.fixed, width, height - scroll.fixed);
  context.clip();
  draw(box);
  context.restore();
}
