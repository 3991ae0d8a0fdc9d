import type { LineTrack } from '../../src-main/timeline/model/track-model.ts';
import type { Box } from '../../src-main/timeline/view/chart-span.ts';
import {
  AXIS_HALO,
  AXIS_LEFT,
  axisTicks,
  hasDots,
  linePoints,
} from '../../src-main/timeline/view/line-points.ts';
import type { Frame } from './surface.ts';

function drawAxis(frame: Frame, track: LineTrack, box: Box): void {
  const { context, theme } = frame;
  const ticks = axisTicks(track, box);
  context.fillStyle = theme.border;
  context.globalAlpha = 0.5;
  for (const { top } of ticks) context.fillRect(0, top - 0.5, frame.width, 1);
  context.globalAlpha = 1;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.strokeStyle = theme.background;
  context.lineWidth = AXIS_HALO;
  context.lineJoin = 'round';
  context.fillStyle = theme.muted;
  for (const { middle, text } of ticks) {
    context.strokeText(text, AXIS_LEFT, middle);
    context.fillText(text, AXIS_LEFT, middle);
  }
  context.lineWidth = 1;
}

/** A sampled value as a line over a faint area, with its axis at the left edge: the end of a recording stays to be seen. */
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
