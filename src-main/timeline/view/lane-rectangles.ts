import {
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  nextLongEvent,
  visitLongEvents,
} from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import { type ChartSpan, columnCount, crisp, pixelsPerNs } from './chart-span.ts';
import { OUTLIER_FACTOR } from './strip-columns.ts';

/** Events at least this wide are drawn as rectangles over a strip, so that they have edges. */
const RECTANGLE_PIXELS = 3;
/** Rectangles at least this wide show their state's pattern. */
export const PATTERN_PIXELS = 6;
/** So far beyond the chart a rectangle goes on: what of it is seen looks the same wherever the chart ends. */
const BEYOND_PIXELS = PATTERN_PIXELS + 2;

/** A moment is as wide, and begins a pixel before it. */
const MARK_PIXELS = 3;
/** So far beside its event a rectangle may go on. */
const MOST_BESIDE_PIXELS = MARK_PIXELS;

/** An event of a lane and where it is drawn, CSS pixels. */
export interface LaneRectangle {
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

/** The events of which a part can lie in a stretch: those from `from` to before `to`. */
const eventsIn = (lane: EventLane, { startNs, endNs }: TimeWindow) => ({
  from: firstEndingAt(lane, startNs),
  to: firstStartingAt(lane, endNs),
});

/** How many events a lane has in view, where all of them are here. */
export function eventCount({ window }: ChartSpan, lane: EventLane): number {
  const { from, to } = eventsIn(lane, window);
  return to - from;
}

/** Whether a lane is drawn as a strip: it has more events in view than there are columns of pixels, or not all are here. */
export function isDense(span: ChartSpan, lane: EventLane): boolean {
  return lane.buckets !== undefined || eventCount(span, lane) > columnCount(span);
}

/** How long an event is at least that is drawn one by one, ns. Of moments each that is known stands for those beside it. */
function shortestDrawn(span: ChartSpan, lane: EventLane, isMark: boolean): number {
  const isWhole = isMark || lane.buckets === undefined;
  const isFew = isWhole && eventCount(span, lane) <= columnCount(span);
  return isFew ? 0 : RECTANGLE_PIXELS / pixelsPerNs(span);
}

type VisitRectangle = (index: number, x: number, width: number) => void;

/**
 * Calls `visit` with the events drawn one by one, in order: all in view, or on a dense lane those wide enough to have edges. Where a
 * part of the view is given as `within`, those that may be seen there. Each frame does this for each lane: it makes nothing.
 */
export function visitRectangles(
  span: ChartSpan,
  lane: EventLane,
  isMark: boolean,
  visit: VisitRectangle,
  within = span.window,
): void {
  const scale = pixelsPerNs(span);
  const besideNs = within === span.window ? 0 : MOST_BESIDE_PIXELS / scale;
  const { from, to } = eventsIn(lane, {
    startNs: within.startNs - besideNs,
    endNs: within.endNs + besideNs,
  });
  const leastNs = shortestDrawn(span, lane, isMark);
  const add = (index: number) => visitRectangle(span, scale, lane, index, isMark, visit);
  if (leastNs === 0) for (let index = from; index < to; index++) add(index);
  else visitLongEvents(lane, from, to, leastNs, add);
}

function visitRectangle(
  { window, width: chartWidth, pixelRatio }: ChartSpan,
  scale: number,
  lane: EventLane,
  index: number,
  isMark: boolean,
  visit: VisitRectangle,
): void {
  const durationNs = lane.times.durationNs(index);
  const left = (lane.times.startNs(index) - window.startNs) * scale;
  if (isMark) {
    visit(index, crisp(left - 1, pixelRatio), MARK_PIXELS);
    return;
  }
  const x = crisp(Math.max(left, -BEYOND_PIXELS), pixelRatio);
  const right = Math.min(left + durationNs * scale, chartWidth + BEYOND_PIXELS);
  const isOutlier = durationNs > lane.meanNs * OUTLIER_FACTOR;
  const width = crisp(right, pixelRatio) - x;
  visit(index, x, Math.max(width > 4 ? width - 1 : width, isOutlier ? 2 : 1));
}

/** What `visitRectangles` visits. */
export function visibleRectangles(
  span: ChartSpan,
  lane: EventLane,
  isMark: boolean,
): LaneRectangle[] {
  const rectangles: LaneRectangle[] = [];
  visitRectangles(span, lane, isMark, (index, x, width) => rectangles.push({ index, x, width }));
  return rectangles;
}

/** Of the visible rectangles those that may have a name, so wide at least, and of each the one that begins first inside it. */
export function wideRectangles(
  span: ChartSpan,
  lane: EventLane,
  widthPixels: number,
): LaneRectangle[] {
  const scale = pixelsPerNs(span);
  const { from, to } = eventsIn(lane, span.window);
  const leastNs = shortestDrawn(span, lane, false);
  // Both edges are on whole pixels.
  const wideNs = Math.max(leastNs, (widthPixels - 1) / scale);
  const rectangles: LaneRectangle[] = [];
  const add = (at: number) =>
    visitRectangle(span, scale, lane, at, false, (index, x, width) =>
      rectangles.push({ index, x, width }),
    );
  for (let index = nextLongEvent(lane, from, to, wideNs); index < to; ) {
    add(index);
    const endNs = lane.times.startNs(index) + lane.times.durationNs(index);
    const inside = Math.min(to, firstStartingAt(lane, endNs, index + 1));
    const next = nextLongEvent(lane, index + 1, inside, leastNs);
    if (next < inside && lane.times.durationNs(next) < wideNs) add(next);
    index = nextLongEvent(lane, index + 1, to, wideNs);
  }
  return rectangles;
}

/**
 * The rectangles by colour, which draws fastest; one by one where they lie over each other, so that
 * an event is painted over the one around it.
 */
export function colourBatches(
  lane: EventLane,
  rectangles: readonly LaneRectangle[],
): Iterable<readonly [colour: number, batch: readonly LaneRectangle[]]> {
  const colourOf = ({ index }: LaneRectangle) => lane.colours[index];
  const overlap = rectangles.some(({ x, width }, position) => {
    const next = rectangles[position + 1];
    return next !== undefined && next.x + 1 < x + width;
  });
  if (overlap) return rectangles.map((rectangle) => [colourOf(rectangle), [rectangle]] as const);
  return Map.groupBy(rectangles, colourOf);
}
