import { stateColour, stateSwatchOf } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { remember } from '../../src-main/timeline/model/remember.ts';
import { spanOf } from '../../src-main/timeline/model/time-window.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import {
  colourBatches,
  eventCount,
  isDense,
  type LaneRectangle,
  PATTERN_PIXELS,
  visibleRectangles,
  visitRectangles,
} from '../../src-main/timeline/view/lane-rectangles.ts';
import { drawStripRows, keptRows, paintDense, paintStrip } from './draw-strip.ts';
import type { Columns, LanePixels } from './lane-pixels.ts';
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
export function planEvents(frame: Frame, lane: EventLane, isMark: boolean, box: Box): LaneParts {
  const hasStrip = isDense(frame, lane);
  const asRows = (hasStrip || eventCount(frame, lane) >= MANY) && isWhole(frame, box);
  if (asRows) return [paintRows(frame, lane, isMark, hasStrip), ...outlinedOf(frame, lane, isMark)];
  const batches = colourBatches(lane, visibleRectangles(frame, lane, isMark));
  return hasStrip ? [paintStrip(frame, lane), ...batches] : [...batches];
}

/** Whatever of a lane came into view since it was painted last. */
function paintRows(frame: Frame, lane: EventLane, isMark: boolean, hasStrip: boolean): StripRows {
  return keptRows(frame, lane, `${hasStrip} and rectangles`, (pixels, columns) => {
    if (hasStrip) paintDense(frame, lane, pixels, columns);
    paintRectangles(frame, lane, isMark, pixels, columns);
  });
}

/** Draws what was planned. Later parts lie over earlier ones. */
export function drawEvents(frame: Frame, parts: LaneParts, box: Box): void {
  for (const part of parts)
    if ('period' in part) drawStripRows(frame, part, box);
    else fillRectangles(frame, part, box);
}

/** Whether edges of rectangles are edges of device pixels, so that a row of pixels has the same. */
function isWhole({ pixelRatio, width, strip }: Frame, { y, height }: Box): boolean {
  const isWholeScreen = Number.isInteger(pixelRatio) && width * pixelRatio === strip.width;
  return isWholeScreen && Number.isInteger(y * pixelRatio) && Number.isInteger(height * pixelRatio);
}

/** Whether it has an edge of its own, so that its rows are not all the same and none repeats. */
const isOutlined = (colour: number, width: number): boolean =>
  colour === stateColour.stopped && width >= PATTERN_PIXELS;

/** Those that have one. Few lanes have any: a thread stops seldom. */
function outlinedOf(frame: Frame, lane: EventLane, isMark: boolean): Iterable<Batch> {
  const hasSome = remember(lane, 'has outlined events', () =>
    lane.colours.includes(stateColour.stopped),
  );
  if (!hasSome) return [];
  const outlined = visibleRectangles(frame, lane, isMark).filter(({ index, width }) =>
    isOutlined(lane.colours[index], width),
  );
  return colourBatches(lane, outlined);
}

/** Paints what of rectangles lies in some columns: those behind over those before. */
function paintRectangles(
  frame: Frame,
  lane: EventLane,
  isMark: boolean,
  pixels: LanePixels,
  columns: Columns,
): void {
  const { theme, paint, pixelRatio, window, strip } = frame;
  const paintOne = (index: number, x: number, width: number) => {
    const from = Math.max(columns.from, Math.round(x * pixelRatio));
    const to = Math.min(columns.to, Math.round((x + width) * pixelRatio));
    const colour = lane.colours[index];
    if (from >= to || isOutlined(colour, width)) return;
    const hasPattern = width >= PATTERN_PIXELS && paint.tiles[colour] !== undefined;
    pixels.paint(colour, theme.packed[colour], from, to, hasPattern);
  };
  const nsPerPixel = spanOf(window) / strip.width;
  visitRectangles(frame, lane, isMark, paintOne, {
    startNs: window.startNs + columns.from * nsPerPixel,
    endNs: window.startNs + columns.to * nsPerPixel,
  });
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
