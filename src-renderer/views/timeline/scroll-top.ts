import type { RowScroll } from '../../chart/row-scroll.ts';

/**
 * The scroll position nearest to `top` that shows all of a row in `room` pixels, beneath the rows that stay; of a taller
 * one its top.
 */
export function scrollTopFor(
  { y, height }: { readonly y: number; readonly height: number },
  { top, fixed }: RowScroll,
  room: number,
): number {
  if (y < fixed) return top;
  if (y - top < fixed || height > room - fixed) return y - fixed;
  return Math.max(top, y + height - room);
}
