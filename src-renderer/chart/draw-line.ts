import { bisectLeft, max, min } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { timeScale } from '../../src-main/timeline/time-window.ts';
import type { LineTrack } from '../../src-main/timeline/track-model.ts';
import { textWidth } from './paint.ts';
import type { Box, Frame } from './surface.ts';

/** Values closer together than this many pixels are drawn without dots. */
const DOT_SPACING = 6;
const AXIS_TICKS = 2;
const LABEL_PADDING = 4;
const tickFormat = format(',.4~r');

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The shown samples as points; of several in a pixel the lowest and the highest. */
function linePoints(frame: Frame, track: LineTrack, box: Box): Point[] {
  const { timesNs, values } = track;
  const x = timeScale(frame.window, frame.width);
  const y = scaleLinear()
    .domain(track.domain)
    .range([box.y + box.height, box.y]);
  const from = Math.max(0, bisectLeft(timesNs, frame.window.startNs) - 1);
  const to = Math.min(timesNs.length, bisectLeft(timesNs, frame.window.endNs) + 1);
  const perPixel = Math.max(1, Math.floor((to - from) / frame.width));
  const points: Point[] = [];
  for (let index = from; index < to; index += perPixel) {
    const left = x(timesNs[index]);
    const group = values.subarray(index, Math.min(to, index + perPixel));
    points.push({ x: left, y: y(max(group) ?? 0) });
    if (perPixel > 1) points.push({ x: left, y: y(min(group) ?? 0) });
  }
  return points;
}

function drawAxis(frame: Frame, track: LineTrack, box: Box): void {
  const { context, theme, paint } = frame;
  const y = scaleLinear()
    .domain(track.domain)
    .range([box.y + box.height, box.y]);
  // "1 min" in "load (1 min)" says over how long it is averaged: no unit of the value.
  const unit = /^\d/.test(track.unit) ? '' : track.unit;
  const ticks = y.ticks(AXIS_TICKS).map((value) => ({
    top: Math.round(y(value)) + 0.5,
    text: `${tickFormat(value)} ${unit}`.trim(),
  }));
  context.fillStyle = theme.border;
  context.globalAlpha = 0.5;
  for (const { top } of ticks) context.fillRect(0, top - 0.5, frame.width, 1);
  // The line fades out behind its axis: neither makes the other unreadable.
  const widths = ticks.map(({ text }) => textWidth(context, paint.textWidths, text));
  const axisWidth = (max(widths) ?? 0) + 2 * LABEL_PADDING;
  context.fillStyle = theme.background;
  context.globalAlpha = 0.85;
  context.fillRect(frame.width - axisWidth, box.y - 2, axisWidth, box.height + 4);
  context.globalAlpha = 1;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillStyle = theme.muted;
  for (const { top, text } of ticks) {
    const middle = Math.min(Math.max(top, box.y + 5), box.y + box.height - 5);
    context.fillText(text, frame.width - LABEL_PADDING, middle);
  }
}

/** A sampled value as a line over a faint area, with its axis at the right edge. */
export function drawLine(frame: Frame, track: LineTrack, box: Box): void {
  const { context, theme } = frame;
  const points = linePoints(frame, track, box);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return;
  const path = new Path2D();
  for (const { x, y } of points) path.lineTo(x, y);
  context.strokeStyle = context.fillStyle = theme.accent;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.stroke(path);
  context.lineWidth = 1;
  if (points.length * DOT_SPACING < frame.width)
    for (const { x, y } of points) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  const area = new Path2D(path);
  area.lineTo(last.x, box.y + box.height);
  area.lineTo(first.x, box.y + box.height);
  context.globalAlpha = 0.12;
  context.fill(area);
  context.globalAlpha = 1;
  drawAxis(frame, track, box);
}
