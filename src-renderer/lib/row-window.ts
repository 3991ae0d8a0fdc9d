import { clamp } from './clamp.ts';
/** Rows of one height in a box that scrolls: only those on the screen are made. */
export interface RowWindow {
  /** Index of the first row that is made, and of the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** CSS px of the rows left out before and behind. */
  readonly beforePx: number;
  readonly behindPx: number;
}

/** Rows made beyond the edges, so that a step of the wheel shows no hole. */
const MARGIN_ROWS = 12;

/** The rows to make of `count` rows, `rowPx` high each, in a box `viewPx` high scrolled by `scrollPx`. */
export function rowWindow(
  count: number,
  rowPx: number,
  scrollPx: number,
  viewPx: number,
): RowWindow {
  const first = Math.floor(Math.max(scrollPx, 0) / rowPx) - MARGIN_ROWS;
  const last = Math.ceil((Math.max(scrollPx, 0) + viewPx) / rowPx) + MARGIN_ROWS;
  const from = clamp(first, 0, count);
  const to = clamp(last, from, count);
  return { from, to, beforePx: from * rowPx, behindPx: (count - to) * rowPx };
}

/** How far to scroll so that a row is fully on the screen; as it is where it already is. */
export function scrollToRow(
  index: number,
  rowPx: number,
  scrollPx: number,
  viewPx: number,
): number {
  const top = index * rowPx;
  if (top < scrollPx) return top;
  return top + rowPx > scrollPx + viewPx ? top + rowPx - viewPx : scrollPx;
}
