import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import { fillStrip } from '../../src-main/timeline/view/strip-columns.ts';
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

/** Paints a lane with more events than pixels on the sheet. */
export function paintDense({ strip, window, theme }: Frame, lane: EventLane): void {
  fillStrip(lane, window, strip.columns);
  strip.paintColumns(theme.packed);
}

/** A lane with more events than pixels: one row of pixels, stretched over the lane. */
export function drawStrip(frame: Frame, lane: EventLane, box: Box): void {
  const { strip, paint } = frame;
  strip.begin();
  paintDense(frame, lane);
  const rows = strip.end(paint.tiles);
  strip.put();
  drawStripRows(frame, rows, box);
}
