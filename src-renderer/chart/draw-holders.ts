import { strokeTwice } from './draw-chain.ts';
import { type heldWaits, holderLinks } from './holder-links.ts';
import type { RowScroll } from './row-scroll.ts';
import type { Frame } from './surface.ts';

const LINE_WIDTH = 1;
const DOT_PIXELS = 2.5;

/** A thin line from each wait for a CPU to who held it, with a dot where it ends. */
export function drawHolders(
  frame: Frame,
  waits: ReturnType<typeof heldWaits>,
  scroll: RowScroll,
): void {
  const links = holderLinks(frame, waits, scroll);
  if (links.length === 0) return;
  const { context, theme } = frame;
  const path = new Path2D();
  const dots = new Path2D();
  for (const { x, fromY, toY } of links) {
    const middle = Math.round(x) + 0.5;
    path.moveTo(middle, fromY);
    path.lineTo(middle, toY);
    dots.moveTo(middle + DOT_PIXELS, toY);
    dots.arc(middle, toY, DOT_PIXELS, 0, 2 * Math.PI);
  }
  strokeTwice(frame, path, theme.text, LINE_WIDTH);
  context.fillStyle = theme.text;
  context.fill(dots);
}
