import {
  type EventLane,
  type PixelSummaries,
  pixelSummaries,
  summarizePixels,
} from '../model/pyramid.ts';
import { spanOf, type TimeWindow } from '../model/time-window.ts';

/** An event this many times longer than the lane's mean is an outlier: full colour, two pixels. */
export const OUTLIER_FACTOR = 10;
/** Opacity of a pixel with next to nothing in it; a busy one is opaque. */
const FAINTEST = 100;
const OPAQUE = 255;
/** Events per pixel at which a pixel of moments without duration is opaque. */
const CROWD = 8;
export const NO_COLOUR = 255;

/** One row of pixels for a lane with more events than pixels. */
export interface StripColumns {
  readonly width: number;
  readonly summaries: PixelSummaries;
  /** Index into the palette, NO_COLOUR = nothing there. */
  readonly colours: Uint8Array;
  /** 0 to 255. */
  readonly opacities: Uint8Array;
}

/** Columns for a lane of `width` device pixels, used again for every lane. */
export function stripColumns(width: number): StripColumns {
  return {
    width,
    summaries: pixelSummaries(width),
    colours: new Uint8Array(width),
    opacities: new Uint8Array(width),
  };
}

/** Lets an outlier of one pixel take the next one too, unless that has a longer event of its own. */
function widenOutliers(
  lane: EventLane,
  count: number,
  { summaries, colours, opacities }: StripColumns,
): void {
  const limit = lane.meanNs * OUTLIER_FACTOR;
  for (let pixel = count - 2; pixel >= 0; pixel--) {
    const longest = summaries.longest[pixel];
    if (longest < 0 || !(lane.times.durationNs(longest) > limit)) continue;
    const neighbour = summaries.longest[pixel + 1];
    const isLonger =
      neighbour >= 0 && lane.times.durationNs(neighbour) >= lane.times.durationNs(longest);
    if (isLonger) continue;
    colours[pixel + 1] = colours[pixel];
    opacities[pixel + 1] = opacities[pixel];
  }
}

/** The longest event of a pixel gives its colour, busy time its strength. Allocates nothing. */
export function fillStrip(lane: EventLane, window: TimeWindow, strip: StripColumns): void {
  const { width } = strip;
  fillColumns(lane, window.startNs, spanOf(window) / width, width, strip);
}

/** `fillStrip` of `count` pixels from `startNs` on, written into the first ones of `strip`. */
export function fillColumns(
  lane: EventLane,
  startNs: number,
  nsPerPixel: number,
  count: number,
  strip: StripColumns,
): void {
  const { summaries, colours, opacities } = strip;
  const { longest, counts, busyNs } = summaries;
  const { times, meanNs, colours: laneColours } = lane;
  const limitNs = meanNs * OUTLIER_FACTOR;
  const perBusyNs = (OPAQUE - FAINTEST) / nsPerPixel;
  const perEvent = meanNs === 0 ? (OPAQUE - FAINTEST) / CROWD : 0;
  let hasOutliers = false;
  summarizePixels(lane, startNs, nsPerPixel, count, summaries);
  for (let pixel = 0; pixel < count; pixel++) {
    const event = longest[pixel];
    if (event < 0) {
      colours[pixel] = NO_COLOUR;
      opacities[pixel] = 0;
      continue;
    }
    colours[pixel] = laneColours[event];
    const isOutlier = times.durationNs(event) > limitNs;
    hasOutliers ||= isOutlier;
    const strength = Math.max(busyNs[pixel] * perBusyNs, counts[pixel] * perEvent);
    // Whole numbers by adding a half: Math.round takes longer.
    opacities[pixel] = isOutlier ? OPAQUE : Math.min(OPAQUE, FAINTEST + strength + 0.5);
  }
  if (hasOutliers) widenOutliers(lane, count, strip);
}
