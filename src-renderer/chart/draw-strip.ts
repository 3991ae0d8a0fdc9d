import { threadStateOf } from '../../src-main/timeline/colours.ts';
import { type EventLane, summarizePixels } from '../../src-main/timeline/pyramid.ts';
import { STRIP_ROWS, type StripBuffer } from './strip-buffer.ts';
import type { Box, Frame } from './surface.ts';
import type { ChartTheme } from './theme.ts';

/** An event this many times longer than the lane's mean is an outlier: full colour, two pixels. */
export const OUTLIER_FACTOR = 10;
/** Opacity of a pixel with next to nothing in it; a busy one is opaque. */
const FAINTEST = 100;
/** Events per pixel at which a pixel of moments without duration is opaque. */
const CROWD = 8;

function opacityOf(lane: EventLane, strip: StripBuffer, pixel: number, nsPerPixel: number): number {
  const longest = strip.summaries.longest[pixel];
  if (lane.durationNs[longest] > lane.meanNs * OUTLIER_FACTOR) return 255;
  const busy = strip.summaries.busyNs[pixel] / nsPerPixel;
  const crowd = lane.meanNs === 0 ? strip.summaries.counts[pixel] / CROWD : 0;
  return Math.round(FAINTEST + (255 - FAINTEST) * Math.min(1, Math.max(busy, crowd)));
}

/** Colours the strip: the longest event of a pixel gives its colour, busy time its strength. */
function colourStrip(
  lane: EventLane,
  strip: StripBuffer,
  theme: ChartTheme,
  nsPerPixel: number,
): boolean {
  const { pixels, width, summaries } = strip;
  let hasThin = false;
  pixels.fill(0);
  for (let pixel = 0; pixel < width; pixel++) {
    const longest = summaries.longest[pixel];
    if (longest < 0) continue;
    const colour = lane.colours[longest];
    const opacity = opacityOf(lane, strip, pixel, nsPerPixel);
    const value = ((opacity << 24) | theme.packed[colour]) >>> 0;
    const isThin = threadStateOf(colour)?.pattern === 'thin';
    if (isThin) hasThin = true;
    pixels[isThin ? width + pixel : pixel] = value;
  }
  widenOutliers(lane, strip);
  return hasThin;
}

/** Lets an outlier of one pixel take the next one too, unless that has a longer event of its own. */
function widenOutliers(lane: EventLane, { pixels, width, summaries }: StripBuffer): void {
  const limit = lane.meanNs * OUTLIER_FACTOR;
  for (let pixel = width - 2; pixel >= 0; pixel--) {
    const longest = summaries.longest[pixel];
    if (longest < 0 || !(lane.durationNs[longest] > limit)) continue;
    const neighbour = summaries.longest[pixel + 1];
    const isLonger = neighbour >= 0 && lane.durationNs[neighbour] >= lane.durationNs[longest];
    if (!isLonger) pixels[pixel + 1] = pixels[pixel];
  }
}

/** A lane with more events than pixels: one row of pixels, stretched over the lane. */
export function drawStrip(frame: Frame, lane: EventLane, box: Box): void {
  const { context, strip, window } = frame;
  const nsPerPixel = (window.endNs - window.startNs) / strip.width;
  summarizePixels(lane, window.startNs, nsPerPixel, strip.width, strip.summaries);
  const hasThin = colourStrip(lane, strip, frame.theme, nsPerPixel);
  strip.context.putImageData(strip.image, 0, 0);
  const source = strip.context.canvas;
  context.imageSmoothingEnabled = false;
  context.drawImage(source, 0, 0, strip.width, 1, 0, box.y, frame.width, box.height);
  if (!hasThin) return;
  const thin = thinBox(box);
  context.drawImage(source, 0, STRIP_ROWS - 1, strip.width, 1, 0, thin.y, frame.width, thin.height);
}

/** The middle third of a lane, where a sleeping thread is drawn. */
export function thinBox(box: Box): Box {
  const height = Math.round(box.height / 3);
  return { y: box.y + Math.round((box.height - height) / 2), height };
}
