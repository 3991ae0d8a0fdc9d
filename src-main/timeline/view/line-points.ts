import { max, min } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { timeScale } from '../model/time-window.ts';
import type { LineTrack } from '../model/track-model.ts';
import { type Box, type ChartSpan, viewOf } from './chart-span.ts';
import { shownGaps } from './unrecorded.ts';

/** Values closer together than this many pixels are drawn without dots. */
const DOT_SPACING = 6;
const AXIS_TICKS = 2;
/** Half the height of a label, px. */
const HALF_LABEL = 5;
/** Where the labels of an axis begin, and how wide the halo is that parts them from the line, px. */
export const AXIS_LEFT = 4;
export const AXIS_HALO = 4;
const tickFormat = format(',.4~r');

export interface Point {
  readonly x: number;
  readonly y: number;
}

const valueScale = (track: LineTrack, box: Box) =>
  scaleLinear()
    .domain(track.domain)
    .range([box.y + box.height, box.y]);

/** Samples between which there is no gap, at least one, as the points of a line. */
type Run = readonly [Point, ...Point[]];

/** The shown samples as points; of several in a pixel the lowest and the highest. */
export function lineRuns(span: ChartSpan, track: LineTrack, box: Box): Run[] {
  const { timesNs, values } = track.samples(viewOf(span));
  const x = timeScale(span.window, span.width);
  const y = valueScale(track, box);
  const from = Math.max(0, lowerBound(timesNs, span.window.startNs) - 1);
  const to = Math.min(timesNs.length, lowerBound(timesNs, span.window.endNs) + 1);
  const perPixel = Math.max(1, Math.floor((to - from) / span.width));
  function pointsOf(begin: number, end: number): Point[] {
    const points: Point[] = [];
    for (let index = begin; index < end; index += perPixel) {
      const left = x(timesNs[index]);
      const group = values.subarray(index, Math.min(end, index + perPixel));
      points.push({ x: left, y: y(max(group) ?? 0) });
      if (perPixel > 1) points.push({ x: left, y: y(min(group) ?? 0) });
    }
    return points;
  }
  const begins = [from, ...shownGaps(track, span).map(({ endNs }) => lowerBound(timesNs, endNs))];
  return begins
    .map((begin, run) => pointsOf(begin, begins[run + 1] ?? to))
    .filter((points): points is [Point, ...Point[]] => points.length > 0);
}

/** The points that are drawn as dots: all where they can be told from the line, else what no line goes through. */
export function dotsOf(runs: readonly Run[], width: number): Point[] {
  const points = runs.flat();
  if (points.length * DOT_SPACING < width) return points;
  return runs.flatMap((run) => (run.length === 1 ? run : []));
}

/** A mark of a line's axis, px: its grid line, and the middle of its label, which stays in the box. */
interface AxisTick {
  readonly top: number;
  readonly middle: number;
  readonly text: string;
}

/** The marks of a line's axis. */
export function axisTicks(track: LineTrack, box: Box): AxisTick[] {
  const y = valueScale(track, box);
  // "1 min" in "load (1 min)" says over how long it is averaged: no unit of the value.
  const unit = /^\d/.test(track.unit) ? '' : track.unit;
  return y.ticks(AXIS_TICKS).map((value) => {
    const top = Math.round(y(value)) + 0.5;
    const middle = Math.min(Math.max(top, box.y + HALF_LABEL), box.y + box.height - HALF_LABEL);
    return { top, middle, text: `${tickFormat(value)} ${unit}`.trim() };
  });
}
