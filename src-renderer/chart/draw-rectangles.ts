import { stateSwatchOf } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import {
  colourBatches,
  type LaneRectangle,
  PATTERN_PIXELS,
} from '../../src-main/timeline/view/lane-rectangles.ts';
import { putStrip } from './draw-strip.ts';
import type { Frame } from './surface.ts';

/**
 * So many rectangles of a lane are drawn as rows of pixels: on a wide screen a call of the canvas for each of a hundred
 * thousand takes longer than a frame.
 */
const MANY = 150;
/** Where rectangles lie over each other they are drawn one by one, and may need a row each. */
const MOST_BATCHES = 24;

type Batch = readonly [colour: number, rectangles: readonly LaneRectangle[]];

/** The rectangles of a lane. Those of later batches lie over those of earlier ones. */
export function drawRectangles(
  frame: Frame,
  lane: EventLane,
  rectangles: readonly LaneRectangle[],
  box: Box,
): void {
  const batches = [...colourBatches(lane, rectangles)];
  const isMany = rectangles.length >= MANY && batches.length <= MOST_BATCHES;
  if (isMany && isWhole(frame, box)) drawRows(frame, batches, box);
  else for (const batch of batches) fillRectangles(frame, batch, box);
}

/** Whether edges of rectangles are edges of device pixels, so that a row of pixels has the same. */
function isWhole({ pixelRatio, width, strip }: Frame, { y, height }: Box): boolean {
  const edges = [pixelRatio, y * pixelRatio, height * pixelRatio];
  return edges.every(Number.isInteger) && width * pixelRatio === strip.width;
}

/** Whether it is of one colour, without an edge. */
function isPlain({ paint }: Frame, colour: number, { width }: LaneRectangle): boolean {
  if (width < PATTERN_PIXELS) return true;
  return typeof paint.fills[colour] === 'string' && stateSwatchOf(colour)?.pattern !== 'outline';
}

/** The same as `fillRectangles` of each batch, to the pixel. */
function drawRows(frame: Frame, batches: readonly Batch[], box: Box): void {
  const { pixels } = frame.strip;
  let hasThin = false;
  pixels.fill(0);
  for (const [colour, rectangles] of batches) {
    const others: LaneRectangle[] = [];
    if (stateSwatchOf(colour)?.pattern === 'thin') hasThin = true;
    for (const rectangle of rectangles)
      if (isPlain(frame, colour, rectangle)) paintRectangle(frame, colour, rectangle);
      else others.push(rectangle);
    if (others.length === 0) continue;
    putStrip(frame, box, hasThin);
    pixels.fill(0);
    fillRectangles(frame, [colour, others], box);
  }
  putStrip(frame, box, hasThin);
}

/** Into the row of what is as high as the lane, or that of what is thin. */
function paintRectangle(
  { strip: { pixels, width: end }, theme, pixelRatio }: Frame,
  colour: number,
  { x, width }: LaneRectangle,
): void {
  const value = (0xff000000 | theme.packed[colour]) >>> 0;
  const from = Math.max(0, Math.round(x * pixelRatio));
  const to = Math.min(end, Math.round((x + width) * pixelRatio));
  const isThin = stateSwatchOf(colour)?.pattern === 'thin';
  for (let pixel = from; pixel < to; pixel++) {
    pixels[isThin ? end + pixel : pixel] = value;
    // What is thin would be drawn over it.
    if (!isThin) pixels[end + pixel] = 0;
  }
}

function fillRectangles(frame: Frame, [colour, rectangles]: Batch, box: Box): void {
  const { context, theme, paint } = frame;
  const pattern = stateSwatchOf(colour)?.pattern;
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
