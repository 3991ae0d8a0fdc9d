import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import type { LaneView } from '../../src-main/timeline/model/track-model.ts';
import { pixelsPerNs, viewOf } from '../../src-main/timeline/view/chart-span.ts';
import type { NoteMark } from '../lib/note-marks.ts';
import { drawNoteTicks } from './draw-notes.ts';
import { drawStrip } from './draw-strip.ts';
import type { Frame } from './surface.ts';

export const MINIMAP_HEIGHT = 34;
const PADDING = 5;

/** The whole trace in one strip, and which part of it is on screen. `frame.window` is the whole trace. */
export function drawMinimap(
  frame: Frame,
  laneOf: (view: LaneView) => EventLane | undefined,
  shown: TimeWindow,
  range: TimeWindow | undefined,
  marks: readonly NoteMark[],
): void {
  const { context, theme, width, height } = frame;
  const scale = pixelsPerNs(frame);
  const toX = (ns: number) => (ns - frame.window.startNs) * scale;
  const lane = laneOf(viewOf(frame));
  if (lane !== undefined) drawStrip(frame, lane, { y: PADDING, height: height - 2 * PADDING });
  const left = Math.round(toX(shown.startNs));
  const right = Math.max(left + 4, Math.round(toX(shown.endNs)));
  context.fillStyle = theme.panel;
  context.globalAlpha = 0.72;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  if (range !== undefined) {
    context.fillStyle = theme.accent;
    const x = toX(range.startNs);
    context.fillRect(x, height - 3, Math.max(2, toX(range.endNs) - x), 3);
  }
  drawNoteTicks(frame, marks);
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1);
  context.fillStyle = theme.accent;
  context.fillRect(left, height / 2 - 7, 3, 14);
  context.fillRect(right - 3, height / 2 - 7, 3, 14);
}
