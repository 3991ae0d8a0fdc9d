import { formatDuration } from '../../src-main/shared/units.ts';
import { threadStateOf } from '../../src-main/timeline/colours.ts';
import {
  type EventLane,
  firstStartingAt,
  gallop,
  visitLongEvents,
} from '../../src-main/timeline/pyramid.ts';
import type { EventTrack } from '../../src-main/timeline/track-model.ts';
import { drawStrip, OUTLIER_FACTOR, thinBox } from './draw-strip.ts';
import { fitText, textWidth } from './paint.ts';
import { type Box, crisp, type Frame, pixelsPerNs } from './surface.ts';

/** Events at least this wide are drawn as rectangles over a strip, so that they have edges. */
const RECTANGLE_PIXELS = 3;
const PATTERN_PIXELS = 6;
const LABEL_PIXELS = 34;
const LABEL_PADDING = 4;

interface Rectangle {
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

function rectangleOf(frame: Frame, lane: EventLane, index: number, isMark: boolean): Rectangle {
  const scale = pixelsPerNs(frame);
  const startNs = lane.startNs[index];
  const durationNs = lane.durationNs[index];
  const left = (startNs - frame.window.startNs) * scale;
  if (isMark) return { index, x: crisp(left - 1, frame.pixelRatio), width: 3 };
  const x = crisp(Math.max(left, -4), frame.pixelRatio);
  const right = Math.min(left + durationNs * scale, frame.width + 4);
  const isOutlier = durationNs > lane.meanNs * OUTLIER_FACTOR;
  const width = crisp(right, frame.pixelRatio) - x;
  return { index, x, width: Math.max(width > 4 ? width - 1 : width, isOutlier ? 2 : 1) };
}

function visibleRectangles(frame: Frame, lane: EventLane, isMark: boolean): Rectangle[] {
  const { window, strip } = frame;
  const from = gallop(lane.latestEndNs, window.startNs, 0);
  const to = firstStartingAt(lane, window.endNs, 0);
  const rectangles: Rectangle[] = [];
  const add = (index: number) => rectangles.push(rectangleOf(frame, lane, index, isMark));
  if (to - from <= strip.width) for (let index = from; index < to; index++) add(index);
  else visitLongEvents(lane, from, to, RECTANGLE_PIXELS / pixelsPerNs(frame), add);
  return rectangles;
}

function fillRectangles(frame: Frame, rectangles: readonly Rectangle[], box: Box, colour: number) {
  const { context, theme, paint } = frame;
  const pattern = threadStateOf(colour)?.pattern;
  const { y, height } = pattern === 'thin' ? thinBox(box) : box;
  context.fillStyle = theme.fills[colour];
  for (const { x, width } of rectangles)
    if (width < PATTERN_PIXELS) context.fillRect(x, y, width, height);
  context.fillStyle = paint.fills[colour];
  for (const { x, width } of rectangles)
    if (width >= PATTERN_PIXELS) context.fillRect(x, y, width, height);
  if (pattern !== 'outline') return;
  context.strokeStyle = theme.muted;
  for (const { x, width } of rectangles)
    if (width >= PATTERN_PIXELS) context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

/** States begin alike, so that a state cut short could be another: its word or nothing. */
function labelText(
  frame: Frame,
  name: string,
  durationNs: number,
  width: number,
  isState: boolean,
): string {
  const { context, paint } = frame;
  const word = isState ? name.replace(/ \(.*/, '') : name;
  const duration = formatDuration(durationNs);
  const fitting = [`${name}  ${duration}`, `${word}  ${duration}`, word].find(
    (text) => textWidth(context, paint.textWidths, text) <= width,
  );
  return fitting ?? (isState ? '' : fitText(context, paint.textWidths, name, width));
}

function drawLabel(frame: Frame, text: string, left: number, box: Box, colour: number): void {
  const { context, theme, paint } = frame;
  const state = threadStateOf(colour);
  const middle = box.y + box.height / 2 + 0.5;
  if (state !== undefined) {
    // The pattern ends where the text begins.
    const width = textWidth(context, paint.textWidths, text) + LABEL_PADDING;
    context.fillStyle = theme.fills[colour];
    context.fillRect(left - LABEL_PADDING / 2, middle - 6, width, 12);
  }
  context.fillStyle = state?.text ?? '#101418';
  context.fillText(text, left, middle);
}

function drawLabels(
  frame: Frame,
  lane: EventLane,
  rectangles: readonly Rectangle[],
  box: Box,
  track: EventTrack,
): void {
  const { context } = frame;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const [position, { index, x, width }] of rectangles.entries()) {
    if (width < LABEL_PIXELS) continue;
    // A label ends where an event inside this one begins: that one has a name of its own.
    const inner = rectangles[position + 1]?.x ?? Number.POSITIVE_INFINITY;
    const colour = lane.colours[index];
    const state = threadStateOf(colour);
    if (state?.pattern === 'thin') continue;
    const left = Math.max(x, 0) + LABEL_PADDING;
    const room = Math.min(x + width, frame.width, Math.max(inner, 0)) - left - LABEL_PADDING;
    if (room < LABEL_PIXELS - 2 * LABEL_PADDING) continue;
    const text = labelText(
      frame,
      track.nameOf(lane, index),
      lane.durationNs[index],
      room,
      state !== undefined,
    );
    if (text !== '') drawLabel(frame, text, left, box, colour);
  }
}

/**
 * The rectangles by colour, which draws fastest; one by one where they lie over each other, so that
 * an event is painted over the one around it.
 */
function batches(
  lane: EventLane,
  rectangles: readonly Rectangle[],
): Iterable<readonly [colour: number, batch: readonly Rectangle[]]> {
  const colourOf = ({ index }: Rectangle) => lane.colours[index];
  const overlap = rectangles.some(({ x, width }, position) => {
    const next = rectangles[position + 1];
    return next !== undefined && next.x + 1 < x + width;
  });
  if (overlap) return rectangles.map((rectangle) => [colourOf(rectangle), [rectangle]] as const);
  return Map.groupBy(rectangles, colourOf);
}

/** A lane of events, states or moments in `box`; `labelled` = with names where they fit. */
export function drawLane(
  frame: Frame,
  lane: EventLane,
  box: Box,
  track: EventTrack,
  labelled: boolean,
): void {
  const isMark = track.kind === 'marks';
  const from = gallop(lane.latestEndNs, frame.window.startNs, 0);
  const to = firstStartingAt(lane, frame.window.endNs, 0);
  if (to - from > frame.strip.width) drawStrip(frame, lane, box);
  const rectangles = visibleRectangles(frame, lane, isMark);
  for (const [colour, batch] of batches(lane, rectangles)) {
    fillRectangles(frame, batch, box, colour);
  }
  if (labelled && !isMark && box.height >= 12) drawLabels(frame, lane, rectangles, box, track);
}
