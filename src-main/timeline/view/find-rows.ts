import { lowerBoundBy, upperBoundBy } from '../../shared/numbers/bisect.ts';
import { remember } from '../model/remember.ts';
import type { Row, TrackLayout } from './layout-tracks.ts';

/** Of a hundred thousand rows none is looked at but those that are asked for. Rows stand from top to bottom and don't overlap. */

const bottomOf = ({ y, height }: Row) => y + height;

/** The rows of which a part lies between two heights of the layout. */
export function rowsIn(rows: readonly Row[], fromY: number, toY: number): readonly Row[] {
  let first = lowerBoundBy(rows, fromY, bottomOf);
  while (first < rows.length && bottomOf(rows[first] as Row) <= fromY) first++;
  return rows.slice(
    first,
    lowerBoundBy(rows, toY, ({ y }) => y),
  );
}

/** The row at `y` pixels from the layout's top. */
export function rowAt({ rows }: TrackLayout, y: number): Row | undefined {
  const row = rows[upperBoundBy(rows, y, bottomOf)];
  return row !== undefined && row.y <= y ? row : undefined;
}

/** Which of all rows one is, from 0; -1 = none of them. */
export function placeOfRow({ rows }: TrackLayout, row: Row): number {
  const at = lowerBoundBy(rows, row.y, ({ y }) => y);
  return rows[at] === row ? at : -1;
}

/** The row of a group or track. */
export function rowWithId(layout: TrackLayout, id: string): Row | undefined {
  const byId = remember(layout, 'rows by id', () => {
    const found = new Map<string, Row>();
    for (const row of layout.rows) if (!found.has(row.id)) found.set(row.id, row);
    return found;
  });
  return byId.get(id);
}
