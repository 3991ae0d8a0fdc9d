import type { Row } from '../../../src-main/timeline/view/layout-tracks.ts';
import type { RowScroll } from '../../chart/row-scroll.ts';

/** So many labels cost nothing, wherever they are. */
const FEW = 400;

/**
 * The rows whose labels stand in the document: of thousands those in view, those a screen away, so that they are there
 * before they are scrolled to, and the focused one, which the keys are on. `height`: of what is scrolled, CSS pixels.
 */
export function shownLabels(
  rows: readonly Row[],
  { top, fixed }: RowScroll,
  height: number,
  focusedId: string | undefined,
): readonly Row[] {
  if (rows.length <= FEW) return rows;
  const from = top + fixed - height;
  const to = top + 2 * height;
  return rows.filter((row) => row.id === focusedId || (row.y + row.height > from && row.y < to));
}
