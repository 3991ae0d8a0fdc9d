import { max } from 'd3-array';
import type { Box } from '../../src-main/timeline/chart-span.ts';
import { axisTicks, hasDots, linePoints } from '../../src-main/timeline/line-points.ts';
import type { LineTrack } from '../../src-main/timeline/track-model.ts';
import { textWidth } from './paint.ts';
import type { Frame } from './surface.ts';

const LABEL_PADDING = 4;

function drawAxis(frame: Frame, track: LineTrack, box: Box): void {
  const { context, theme, paint } = frame;
  const ticks = axisTicks(track, box);
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
  for (const { middle, text } of ticks) context.fillText(text, frame.width - LABEL_PADDING, middle);
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
  if (hasDots(points, frame.width))
    for (const { x, y } of points) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  const area = new Path2D(path);
  area.lineTo(last.x, box.y + box.height);
  area.lineTo(first.x, box.y + box.height);
  context.globalAlpha = 0.12;
  context.fill(area);
  context.globalAlpha = 1;
  drawAxis(frame, track, box);
}
