import { rowsIn } from '../../src-main/timeline/view/find-rows.ts';
import {
  PINNED_GROUP_ID,
  type Row,
  type TrackLayout,
} from '../../src-main/timeline/view/layout-tracks.ts';

/** How the rows of a layout lie on the chart, CSS pixels: those on top stay, all others are scrolled beneath them. */
export interface RowScroll {
  /** How far the others are scrolled. */
  readonly top: number;
  /** Height of those that stay. */
  readonly fixed: number;
}

/** So much of the room is left to the rows that are scrolled. */
const ROOM_TO_SCROLL = 0.35;

/** Height of the pinned rows that stay on top: as many as leave room for others, none where that is none. */
export function fixedHeight({ rows }: TrackLayout, room: number): number {
  const limit = room * (1 - ROOM_TO_SCROLL);
  const pinned = rows.filter(({ group }) => group.id === PINNED_GROUP_ID);
  const fits = pinned.filter(({ y, height }) => y + height <= limit);
  const last = fits.at(-1);
  // A heading alone says nothing, but that of a group that is folded.
  const hasRow = fits.length > 1 || pinned.length === 1;
  return last === undefined || !hasRow ? 0 : last.y + last.height;
}

/** Where a row, or a place in one, is on the chart; `y` is from the layout's top. */
export function onChart(y: number, { top, fixed }: RowScroll): number {
  return y < fixed ? y : y - top;
}

/** What of the layout is at a place of the chart. */
export function inLayout(chartY: number, { top, fixed }: RowScroll): number {
  return chartY < fixed ? chartY : chartY + top;
}

/** As `onChart`; what is scrolled beneath the rows that stay is at their edge. */
export function onChartBelowFixed(y: number, scroll: RowScroll): number {
  const at = onChart(y, scroll);
  return y < scroll.fixed || scroll.fixed === 0 ? at : Math.max(scroll.fixed, at);
}

/** The rows that can be seen between two places of the chart, the rows of both among them. */
export function rowsBetween(
  { rows }: TrackLayout,
  scroll: RowScroll,
  oneY: number,
  otherY: number,
): readonly Row[] {
  const top = Math.min(oneY, otherY);
  const bottom = Math.max(oneY, otherY);
  const seen = [
    ...rowsIn(rows, -1, scroll.fixed),
    ...rowsIn(rows, Math.max(scroll.fixed, top + scroll.top), bottom + scroll.top + 1),
  ];
  return seen.filter(({ y, height }) => {
    const begin = onChart(y, scroll);
    const end = begin + height;
    const seenFrom = y < scroll.fixed ? begin : Math.max(begin, scroll.fixed);
    return seenFrom < end && seenFrom <= bottom && end > top;
  });
}
