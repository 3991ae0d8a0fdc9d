import { stateSwatchOf } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import { fillStrip, NO_COLOUR } from '../../src-main/timeline/view/strip-columns.ts';
import { STRIP_ROWS, type StripBuffer } from './strip-buffer.ts';
import type { Frame } from './surface.ts';
import type { ChartTheme } from './theme.ts';

/** The strip's colours as pixels, thin ones in a row of their own; whether there are thin ones. */
function paintStrip({ columns, pixels, width }: StripBuffer, theme: ChartTheme): boolean {
  const { colours, opacities } = columns;
  let hasThin = false;
  pixels.fill(0);
  for (let pixel = 0; pixel < width; pixel++) {
    const colour = colours[pixel];
    if (colour === NO_COLOUR) continue;
    const value = ((opacities[pixel] << 24) | theme.packed[colour]) >>> 0;
    const isThin = stateSwatchOf(colour)?.pattern === 'thin';
    if (isThin) hasThin = true;
    pixels[isThin ? width + pixel : pixel] = value;
  }
  return hasThin;
}

/** Stretches the strip's row of pixels over a lane, and that of thin ones over its middle. */
export function putStrip({ context, strip, width }: Frame, box: Box, hasThin: boolean): void {
  strip.context.putImageData(strip.image, 0, 0);
  const source = strip.context.canvas;
  context.imageSmoothingEnabled = false;
  context.drawImage(source, 0, 0, strip.width, 1, 0, box.y, width, box.height);
  if (!hasThin) return;
  const thin = thinBox(box);
  context.drawImage(source, 0, STRIP_ROWS - 1, strip.width, 1, 0, thin.y, width, thin.height);
}

/** A lane with more events than pixels: one row of pixels, stretched over the lane. */
export function drawStrip(frame: Frame, lane: EventLane, box: Box): void {
  fillStrip(lane, frame.window, frame.strip.columns);
  putStrip(frame, box, paintStrip(frame.strip, frame.theme));
}
