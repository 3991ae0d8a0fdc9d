import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { spanOf } from '../../src-main/timeline/model/time-window.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import { fillColumns } from '../../src-main/timeline/view/strip-columns.ts';
import type { Columns, LanePixels } from './lane-pixels.ts';
import type { StripRows } from './strip-sheet.ts';
import type { Frame } from './surface.ts';

/** Stretches a lane's rows of pixels over it, and that of what is thin over its middle. */
export function drawStripRows(
  { context, strip, width, pixelRatio }: Frame,
  { first, period, hasThin }: StripRows,
  box: Box,
): void {
  const source = strip.canvas;
  context.imageSmoothingEnabled = false;
  const rows = (from: number, count: number, y: number, height: number) =>
    context.drawImage(source, 0, from, strip.width, count, 0, y, width, height);
  if (period === 1) rows(first, 1, box.y, box.height);
  else {
    // Patterns begin at the canvas's edge, as the fills do.
    const end = (box.y + box.height) * pixelRatio;
    for (let y = box.y * pixelRatio; y < end; ) {
      const phase = ((y % period) + period) % period;
      const count = Math.min(period - phase, end - y);
      rows(first + phase, count, y / pixelRatio, count / pixelRatio);
      y += count;
    }
  }
  if (!hasThin) return;
  const thin = thinBox(box);
  rows(first + period, 1, thin.y, thin.height);
}

/** Paints columns of a lane with more events than pixels. */
export function paintDense(
  { strip, window, theme }: Frame,
  lane: EventLane,
  pixels: LanePixels,
  columns: Columns,
): void {
  const { width } = strip;
  const nsPerPixel = spanOf(window) / width;
  // What is long and narrow takes the column behind it.
  const first = Math.max(0, columns.from - 1);
  fillColumns(
    lane,
    pixels.startNs + first * nsPerPixel,
    nsPerPixel,
    columns.to - first,
    strip.columns,
  );
  pixels.paintColumns(strip.columns, theme.packed, columns, first);
}

/** The rows of a lane, of which `paint` paints the columns that came into view. `what`: in which way the lane is drawn. */
export function keptRows(
  { strip, paint: { tiles }, theme, window }: Frame,
  lane: EventLane,
  what: string,
  paint: (pixels: LanePixels, columns: Columns) => void,
): StripRows {
  const pixels = strip.pixelsOf(lane, theme.packed);
  const columns = pixels.moveTo(window.startNs, spanOf(window) / strip.width, what);
  if (columns.from < columns.to) paint(pixels, columns);
  return strip.add(pixels, tiles);
}

/** The row of a lane with more events than pixels. */
export const paintStrip = (frame: Frame, lane: EventLane): StripRows =>
  keptRows(frame, lane, 'strip', (pixels, columns) => paintDense(frame, lane, pixels, columns));

/** A lane with more events than pixels: one row of pixels, stretched over the lane. */
export function drawStrip(frame: Frame, lane: EventLane, box: Box): void {
  const rows = paintStrip(frame, lane);
  frame.strip.put();
  drawStripRows(frame, rows, box);
}
