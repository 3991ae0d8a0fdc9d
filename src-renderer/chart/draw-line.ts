import type { LineTrack } from '../../src-main/timeline/model/track-model.ts';
import type { Box } from '../../src-main/timeline/view/chart-span.ts';
import {
  AXIS_HALO,
  AXIS_LEFT,
  axisTicks,
  dotsOf,
  lineRuns,
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
  const runs = lineRuns(frame, track, box);
  if (runs.length === 0) return;
  const bottom = box.y + box.height;
  const line = new Path2D();
  const area = new Path2D();
  for (const run of runs) {
    const [first] = run;
    line.moveTo(first.x, first.y);
    area.moveTo(first.x, bottom);
    for (const { x, y } of run) {
      line.lineTo(x, y);
      area.lineTo(x, y);
    }
    area.lineTo(run.at(-1)?.x ?? first.x, bottom);
  }
  context.strokeStyle = context.fillStyle = theme.accent;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.stroke(line);
  context.lineWidth = 1;
  for (const { x, y } of dotsOf(runs, frame.width)) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  context.globalAlpha = 0.12;
  context.fill(area);
  context.globalAlpha = 1;
  drawAxis(frame, track, box);
}
