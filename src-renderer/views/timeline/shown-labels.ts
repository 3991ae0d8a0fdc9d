import { rowsIn } from '../../../src-main/timeline/view/find-rows.ts';
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
  focused: Row | undefined,
): readonly Row[] {
  if (rows.length <= FEW) return rows;
  const from = top + fixed - height;
  const to = top + 2 * height;
  const near = rowsIn(rows, from, to);
  const [first] = rows;
  if (focused === undefined || first === undefined || focused.y < first.y) return near;
  if (near.includes(focused)) return near;
  return focused.y < from ? [focused, ...near] : [...near, focused];
}
