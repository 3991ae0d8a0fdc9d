import type { Box } from './chart-span.ts';

/** How much of what lies beside the selected range is covered, from 0 to 1: inside it all keeps its colours. */
export const VEIL_OPACITY = 0.5;
/** Of rows inside its time that it is not of. */
export const PASSED_OPACITY = 0.3;

/** The boxes between `rows`, which are in order and do not overlap, on a chart `height` px high; none where no rows are told. */
export function boxesBetween(rows: readonly Box[], height: number): Box[] {
  if (rows.length === 0) return [];
  const edges = [...rows, { y: height, height: 0 }];
  return edges.flatMap(({ y }, at) => {
    const before = edges[at - 1];
    const from = before === undefined ? 0 : before.y + before.height;
    return y > from ? [{ y: from, height: y - from }] : [];
  });
}
