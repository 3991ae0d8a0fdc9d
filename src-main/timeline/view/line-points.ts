import { max, min } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { timeScale } from '../model/time-window.ts';
import type { LineTrack } from '../model/track-model.ts';
import type { Box, ChartSpan } from './chart-span.ts';

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

/** The shown samples as points; of several in a pixel the lowest and the highest. */
export function linePoints(span: ChartSpan, track: LineTrack, box: Box): Point[] {
  const { timesNs, values } = track;
  const x = timeScale(span.window, span.width);
  const y = valueScale(track, box);
  const from = Math.max(0, lowerBound(timesNs, span.window.startNs) - 1);
  const to = Math.min(timesNs.length, lowerBound(timesNs, span.window.endNs) + 1);
  const perPixel = Math.max(1, Math.floor((to - from) / span.width));
  const points: Point[] = [];
  for (let index = from; index < to; index += perPixel) {
    const left = x(timesNs[index]);
    const group = values.subarray(index, Math.min(to, index + perPixel));
    points.push({ x: left, y: y(max(group) ?? 0) });
    if (perPixel > 1) points.push({ x: left, y: y(min(group) ?? 0) });
  }
  return points;
}

/** Whether the samples lie far enough apart to be told from the line between them. */
export const hasDots = (points: readonly Point[], width: number): boolean =>
  points.length * DOT_SPACING < width;

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
