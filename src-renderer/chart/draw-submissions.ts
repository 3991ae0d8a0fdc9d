import { strokeTwice } from './draw-chain.ts';
import { drawMark, type MarkedEvent, type Rectangle } from './marked-event.ts';
import type { RowScroll } from './row-scroll.ts';
import { submissionCurves } from './submission-curves.ts';
import type { Frame } from './surface.ts';

/** A CUDA call and what the GPU did for it, as far as their rows are shown. */
export interface SubmissionScene {
  readonly call: MarkedEvent | undefined;
  readonly works: readonly MarkedEvent[];
}

const LINE_WIDTH = 1.5;
const ARROW_PIXELS = 5;

function outline(frame: Frame, { x, y, width, height }: Rectangle): void {
  const { context, theme } = frame;
  if (x > frame.width || x + width < 0) return;
  context.lineWidth = LINE_WIDTH;
  context.strokeStyle = theme.accent;
  context.strokeRect(x - 1, y - 1, width + 2, height + 2);
  context.lineWidth = 1;
}

/** Outlines what the selected event is linked with, and draws a line from the call to each piece of its work. */
export function drawSubmissions(
  frame: Frame,
  { call, works }: SubmissionScene,
  scroll: RowScroll,
): void {
  const { context, theme } = frame;
  for (const work of works) drawMark(frame, work, scroll, (box) => outline(frame, box));
  if (call === undefined) return;
  drawMark(frame, call, scroll, (box) => outline(frame, box));
  const path = new Path2D();
  const arrows = new Path2D();
  for (const { fromX, fromY, toX, toY } of submissionCurves(frame, call, works, scroll)) {
    const middle = (fromY + toY) / 2;
    const tip = toY < fromY ? ARROW_PIXELS : -ARROW_PIXELS;
    path.moveTo(fromX, fromY);
    path.bezierCurveTo(fromX, middle, toX, middle, toX, toY + tip);
    arrows.moveTo(toX, toY);
    arrows.lineTo(toX - ARROW_PIXELS + 1, toY + tip);
    arrows.lineTo(toX + ARROW_PIXELS - 1, toY + tip);
  }
  strokeTwice(frame, path, theme.accent, LINE_WIDTH);
  context.fillStyle = theme.accent;
  context.fill(arrows);
  context.lineWidth = 1;
}
