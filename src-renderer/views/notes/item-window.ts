import type { RowWindow } from '../../lib/row-window.ts';

/**
 * Which of `count` items of different heights are made in a box `viewPx` high that is scrolled by
 * `scrollPx`, with `marginPx` beyond both edges. Heights in CSS px; those of items that were never
 * made are a guess, put right as they are.
 */
export function itemWindow(
  count: number,
  heightOf: (index: number) => number,
  scrollPx: number,
  viewPx: number,
  marginPx: number,
): RowWindow {
  const top = Math.max(0, scrollPx) - marginPx;
  const bottom = Math.max(0, scrollPx) + viewPx + marginPx;
  let from = 0;
  let y = 0;
  while (from < count && y + heightOf(from) <= top) y += heightOf(from++);
  const beforePx = y;
  let to = from;
  while (to < count && y < bottom) y += heightOf(to++);
  let behindPx = 0;
  for (let index = to; index < count; index++) behindPx += heightOf(index);
  return { from, to, beforePx, behindPx };
}
