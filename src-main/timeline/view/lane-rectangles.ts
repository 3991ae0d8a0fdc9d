import {
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  visitLongEvents,
} from '../model/pyramid.ts';
import { type ChartSpan, columnCount, crisp, pixelsPerNs } from './chart-span.ts';
import { OUTLIER_FACTOR } from './strip-columns.ts';

/** Events at least this wide are drawn as rectangles over a strip, so that they have edges. */
const RECTANGLE_PIXELS = 3;
/** Rectangles at least this wide show their state's pattern. */
export const PATTERN_PIXELS = 6;
/** So far beyond the chart a rectangle goes on: what of it is seen looks the same wherever the chart ends. */
const BEYOND_PIXELS = PATTERN_PIXELS + 2;

/** An event of a lane and where it is drawn, CSS pixels. */
export interface LaneRectangle {
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

/** The events that can be in view: those from `from` to before `to`. */
function eventsInView({ window }: ChartSpan, lane: EventLane) {
  const from = firstEndingAt(lane, window.startNs);
  return { from, to: firstStartingAt(lane, window.endNs, 0) };
}

/** Whether a lane is drawn as a strip: it has more events in view than there are columns of pixels, or not all are here. */
export function isDense(span: ChartSpan, lane: EventLane): boolean {
  if (lane.buckets !== undefined) return true;
  const { from, to } = eventsInView(span, lane);
  return to - from > columnCount(span);
}

function rectangleOf(
  span: ChartSpan,
  lane: EventLane,
  index: number,
  isMark: boolean,
): LaneRectangle {
  const { pixelRatio } = span;
  const scale = pixelsPerNs(span);
  const durationNs = lane.times.durationNs(index);
  const left = (lane.times.startNs(index) - span.window.startNs) * scale;
  if (isMark) return { index, x: crisp(left - 1, pixelRatio), width: 3 };
  const x = crisp(Math.max(left, -BEYOND_PIXELS), pixelRatio);
  const right = Math.min(left + durationNs * scale, span.width + BEYOND_PIXELS);
  const isOutlier = durationNs > lane.meanNs * OUTLIER_FACTOR;
  const width = crisp(right, pixelRatio) - x;
  return { index, x, width: Math.max(width > 4 ? width - 1 : width, isOutlier ? 2 : 1) };
}

/** The events drawn one by one: all in view, or on a dense lane those wide enough to have edges. */
export function visibleRectangles(
  span: ChartSpan,
  lane: EventLane,
  isMark: boolean,
): LaneRectangle[] {
  const { from, to } = eventsInView(span, lane);
  const rectangles: LaneRectangle[] = [];
  const add = (index: number) => rectangles.push(rectangleOf(span, lane, index, isMark));
  // Of moments each that is known stands for those beside it.
  const isWhole = isMark || lane.buckets === undefined;
  const isFew = isWhole && to - from <= columnCount(span);
  if (isFew) for (let index = from; index < to; index++) add(index);
  else visitLongEvents(lane, from, to, RECTANGLE_PIXELS / pixelsPerNs(span), add);
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
