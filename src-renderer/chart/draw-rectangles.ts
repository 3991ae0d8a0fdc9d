import { stateSwatchOf } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { spanOf } from '../../src-main/timeline/model/time-window.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import {
  colourBatches,
  isDense,
  type LaneRectangle,
  PATTERN_PIXELS,
} from '../../src-main/timeline/view/lane-rectangles.ts';
import type { Columns, LanePixels } from './lane-pixels.ts';
import { drawStripRows, paintDense } from './draw-strip.ts';
import type { StripRows } from './strip-sheet.ts';
import type { Frame } from './surface.ts';

/**
 * So many rectangles of a lane are drawn as rows of pixels: a call of the canvas takes longer for each, above all with a
 * pattern.
 */
const MANY = 40;

type Batch = readonly [colour: number, rectangles: readonly LaneRectangle[]];

/** How the events of a lane are drawn, one part over the other. */
export type LaneParts = readonly (StripRows | Batch)[];

/** Paints what of a lane is drawn as rows of pixels; it can be drawn when the sheet is put. */
export function planEvents(
  frame: Frame,
  lane: EventLane,
  rectangles: readonly LaneRectangle[],
  box: Box,
): LaneParts {
  const { strip, paint, theme, window } = frame;
  const hasStrip = isDense(frame, lane);
  const asRows = (hasStrip || rectangles.length >= MANY) && isWhole(frame, box);
  if (!hasStrip && !asRows) return [...colourBatches(lane, rectangles)];
  const pixels = strip.pixelsOf(lane, theme.packed);
  const what = `${hasStrip} ${asRows}`;
  const columns = pixels.moveTo(window.startNs, spanOf(window) / strip.width, what);
  if (columns.from < columns.to) {
    if (hasStrip) paintDense(frame, lane, pixels, columns);
    if (asRows) paintRectangles(frame, lane, rectangles, pixels, columns);
  }
  const rows = strip.add(pixels, paint.tiles);
  const others = asRows ? rectangles.filter((each) => isOutlined(lane, each)) : rectangles;
  return [rows, ...colourBatches(lane, others)];
}

/** Draws what was planned. Later parts lie over earlier ones. */
export function drawEvents(frame: Frame, parts: LaneParts, box: Box): void {
  for (const part of parts)
    if ('period' in part) drawStripRows(frame, part, box);
    else fillRectangles(frame, part, box);
}

/** Whether edges of rectangles are edges of device pixels, so that a row of pixels has the same. */
function isWhole({ pixelRatio, width, strip }: Frame, { y, height }: Box): boolean {
  const edges = [pixelRatio, y * pixelRatio, height * pixelRatio];
  return edges.every(Number.isInteger) && width * pixelRatio === strip.width;
}

/** Whether it has an edge of its own, so that its rows are not all the same and none repeats. */
const isOutlined = (lane: EventLane, { index, width }: LaneRectangle): boolean =>
  width >= PATTERN_PIXELS && stateSwatchOf(lane.colours[index])?.pattern === 'outline';

/** Paints what of rectangles lies in some columns: those behind over those before. */
function paintRectangles(
  { theme, paint, pixelRatio }: Frame,
  lane: EventLane,
  rectangles: readonly LaneRectangle[],
  pixels: LanePixels,
  columns: Columns,
): void {
  for (const rectangle of rectangles) {
    const { index, x, width } = rectangle;
    const from = Math.max(columns.from, Math.round(x * pixelRatio));
    const to = Math.min(columns.to, Math.round((x + width) * pixelRatio));
    const colour = lane.colours[index];
    if (from >= to || isOutlined(lane, rectangle)) continue;
    const hasPattern = width >= PATTERN_PIXELS && paint.tiles[colour] !== undefined;
    pixels.paint(colour, theme.packed[colour], from, to, hasPattern);
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
