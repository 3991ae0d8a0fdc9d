import {
  type EventLane,
  type PixelSummaries,
  pixelSummaries,
  summarizePixels,
} from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';

/** An event this many times longer than the lane's mean is an outlier: full colour, two pixels. */
export const OUTLIER_FACTOR = 10;
/** Opacity of a pixel with next to nothing in it; a busy one is opaque. */
const FAINTEST = 100;
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
function widenOutliers(lane: EventLane, { width, summaries, colours, opacities }: StripColumns) {
  const limit = lane.meanNs * OUTLIER_FACTOR;
  for (let pixel = width - 2; pixel >= 0; pixel--) {
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
  const { width, summaries, colours, opacities } = strip;
  const { longest, counts, busyNs } = summaries;
  const { times, meanNs } = lane;
  const nsPerPixel = (window.endNs - window.startNs) / width;
  const limitNs = meanNs * OUTLIER_FACTOR;
  let hasOutliers = false;
  summarizePixels(lane, window.startNs, nsPerPixel, width, summaries);
  for (let pixel = 0; pixel < width; pixel++) {
    const event = longest[pixel];
    const isOutlier = event >= 0 && times.durationNs(event) > limitNs;
    hasOutliers ||= isOutlier;
    const crowd = meanNs === 0 ? counts[pixel] / CROWD : 0;
    const share = Math.min(1, Math.max(busyNs[pixel] / nsPerPixel, crowd));
    const opacity = isOutlier ? 255 : Math.round(FAINTEST + (255 - FAINTEST) * share);
    colours[pixel] = event < 0 ? NO_COLOUR : lane.colours[event];
    opacities[pixel] = event < 0 ? 0 : opacity;
  }
  if (hasOutliers) widenOutliers(lane, strip);
}
