import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeOfRow, rowAt, rowsIn, rowWithId } from './find-rows.ts';
import type { Row, TrackLayout } from './layout-tracks.ts';

/** Rows of the given heights, one below the other. */
function layoutOf(heights: readonly number[]): TrackLayout {
  let y = 0;
  const rows = heights.map((height, at) => {
    const row = { id: `${at % 7} of ${at}`, y, height } as Row;
    y += height;
    return row;
  });
  return { rows, height: y };
}

const layouts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 }).map(layoutOf);
const places = fc.integer({ min: -50, max: 3_000 });

test('the row at a place and the rows between two are those that looking at each gives', () => {
  fc.assert(
    fc.property(layouts, places, places, (layout, one, other) => {
      const { rows } = layout;
      expect(rowAt(layout, one)).toBe(rows.find(({ y, height }) => one >= y && one < y + height));
      const expected = rows.filter(({ y, height }) => y + height > one && y < other);
      expect(rowsIn(rows, one, other)).toEqual(expected);
    }),
  );
});

test('a row is found by its id, and knows which one it is', () => {
  fc.assert(
    fc.property(layouts, (layout) => {
      layout.rows.forEach((row, at) => {
        expect(placeOfRow(layout, row)).toBe(at);
        expect(rowWithId(layout, row.id)).toBe(row);
      });
      expect(rowWithId(layout, 'of no row')).toBeUndefined();
    }),
  );
});
