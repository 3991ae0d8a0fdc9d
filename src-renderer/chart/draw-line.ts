import { bisectLeft, max, min } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { timeScale } from '../lib/time-window.ts';
import type { LineTrack } from '../lib/track-model.ts';
import type { Box, Frame } from './surface.ts';

/** Values closer together than this many pixels are drawn without dots. */
const DOT_SPACING = 6;
const AXIS_TICKS = 2;
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
    const left = x(timesNs[index] as number);
    const group = values.subarray(index, Math.min(to, index + perPixel));
    points.push({ x: left, y: y(max(group) ?? 0) });
    if (perPixel > 1) points.push({ x: left, y: y(min(group) ?? 0) });
  }
  return points;
}

function drawAxis(frame: Frame, track: LineTrack, box: Box): void {
  const { context, theme } = frame;
  const y = scaleLinear()
    .domain(track.domain)
    .range([box.y + box.height, box.y]);
  // "1 min" in "load (1 min)" says over how long it is averaged: no unit of the value.
  const unit = /^\d/.test(track.unit) ? '' : track.unit;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const value of y.ticks(AXIS_TICKS)) {
    const top = Math.round(y(value)) + 0.5;
    context.strokeStyle = theme.border;
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(0, top);
    context.lineTo(frame.width, top);
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = theme.muted;
    const middle = Math.min(Math.max(top, box.y + 5), box.y + box.height - 5);
    const text = `${tickFormat(value)} ${unit}`.trim();
    context.strokeStyle = theme.background;
    context.lineWidth = 3;
    context.strokeText(text, frame.width - 4, middle);
    context.fillText(text, frame.width - 4, middle);
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
