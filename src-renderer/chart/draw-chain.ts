import { type ChainLayout, type ChainStretch, chainShapes } from './chain-path.ts';
import { fitText, textWidth } from './paint.ts';
import { onChart, onChartBelowFixed, type RowScroll } from './row-scroll.ts';
import type { Frame } from './surface.ts';

const LINE_WIDTH = 2;
const HALO_WIDTH = 5;
const CURRENT_WIDTH = 5;
const DASHES = [3, 3];
const ARROW_PIXELS = 5;
/** A skipped track is named where at least this much room is. */
const NAME_PIXELS = 60;

/** A line with a halo, so that it shows on every colour. */
export function strokeTwice(frame: Frame, path: Path2D, colour: string, width: number): void {
  const { context, theme } = frame;
  context.strokeStyle = theme.background;
  context.lineWidth = width + (HALO_WIDTH - LINE_WIDTH);
  context.stroke(path);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke(path);
}

function addStretch(path: Path2D, { left, right }: ChainStretch, y: number): void {
  path.moveTo(left, y);
  path.lineTo(right, y);
}

/** Where the path leaves a track, or ends, and has room for it. */
function hasArrow({ y, isSkipped }: ChainLayout, stretch: ChainStretch, width: number): boolean {
  const { index, left, right } = stretch;
  const goesOn = y[index + 1] === y[index] && isSkipped[index + 1] === 0;
  return !goesOn && right - left > 3 * ARROW_PIXELS && right <= width;
}

/** Which way the chain runs. */
function drawArrow(frame: Frame, { right }: ChainStretch, y: number): void {
  const { context, theme } = frame;
  context.fillStyle = theme.text;
  context.beginPath();
  context.moveTo(right, y);
  context.lineTo(right - ARROW_PIXELS, y - ARROW_PIXELS + 1);
  context.lineTo(right - ARROW_PIXELS, y + ARROW_PIXELS - 1);
  context.fill();
}

/** `⋯ dockerd`: whose track is not shown. */
function nameSkipped(frame: Frame, name: string, stretch: ChainStretch, y: number): void {
  const { context, theme, paint } = frame;
  const left = Math.max(0, stretch.left) + 6;
  const room = Math.min(frame.width, stretch.right) - left - 6;
  if (room < NAME_PIXELS) return;
  const text = fitText(context, paint.textWidths, `⋯ ${name}`, room);
  if (text === '') return;
  const width = textWidth(context, paint.textWidths, text);
  context.fillStyle = theme.background;
  context.fillRect(left - 3, y - 7, width + 6, 14);
  context.fillStyle = theme.text;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, left, y + 0.5);
}

/** The wait chain as one path over the tracks it goes through; thick at the segment somebody is at. */
export function drawChain(
  frame: Frame,
  layout: ChainLayout,
  currentIndex: number,
  scroll: RowScroll,
): void {
  const { context, theme } = frame;
  const { stretches: all, turns } = chainShapes(layout, frame);
  // Nothing is drawn of a track that is scrolled beneath the rows that stay.
  const stretches = all.filter(({ y }) => y < scroll.fixed || onChart(y, scroll) >= scroll.fixed);
  const yOf = ({ y }: ChainStretch) => onChart(y, scroll);
  const solid = new Path2D();
  const dashed = new Path2D();
  for (const stretch of stretches)
    addStretch(stretch.isSkipped ? dashed : solid, stretch, yOf(stretch));
  for (const { x, top, bottom } of turns) {
    solid.moveTo(x, onChartBelowFixed(top, scroll));
    solid.lineTo(x, onChartBelowFixed(bottom, scroll));
  }
  context.save();
  context.font = theme.font;
  context.lineCap = 'square';
  strokeTwice(frame, solid, theme.text, LINE_WIDTH);
  context.lineCap = 'butt';
  context.setLineDash(DASHES);
  strokeTwice(frame, dashed, theme.text, LINE_WIDTH);
  context.setLineDash([]);
  const current = stretches.find(({ index }) => index === currentIndex);
  if (current !== undefined) {
    const path = new Path2D();
    addStretch(path, current, yOf(current));
    strokeTwice(frame, path, theme.accent, CURRENT_WIDTH);
  }
  for (const stretch of stretches) {
    if (stretch.isSkipped) {
      const name = layout.segments[stretch.index]?.thread.name ?? '';
      nameSkipped(frame, name, stretch, yOf(stretch));
    } else if (hasArrow(layout, stretch, frame.width)) drawArrow(frame, stretch, yOf(stretch));
  }
  context.restore();
}
