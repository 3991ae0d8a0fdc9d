import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventColumns, rowsByKey } from './event-source.ts';

const columnsOf = (...startNs: readonly number[]): EventColumns => ({
  startNs: Float64Array.from(startNs),
});
const grouped = (columns: EventColumns, keys: ArrayLike<number> | undefined) =>
  new Map([...rowsByKey(columns, 'key', keys)].map(([key, rows]) => [key, [...rows]]));

test('rows are told apart by a key, each in order of start', () => {
  const few = fc.integer({ min: -1, max: 4 });
  const any = fc.oneof(few, fc.integer({ min: -1, max: 2 ** 31 - 1 }));
  for (const key of [few, any])
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), key), { minLength: 1 }), (rows) => {
        const columns = columnsOf(...rows.map(([startNs]) => startNs));
        const keys = Int32Array.from(rows, ([, own]) => own);
        const { startNs } = columns;
        const inOrder = [...rows.keys()].sort((a, b) => startNs[a] - startNs[b] || a - b);
        expect(grouped(columns, keys)).toEqual(Map.groupBy(inOrder, (row) => keys[row]));
      }),
    );
});

test('without the column all rows are of no key; where there is no row there is no key', () => {
  expect(grouped(columnsOf(3, 1, 2), undefined)).toEqual(new Map([[-1, [1, 2, 0]]]));
  expect(grouped(columnsOf(), undefined).size).toBe(0);
  expect(grouped(columnsOf(), new Int32Array(0)).size).toBe(0);
});

test('what is worked out is kept with the columns, and with those alone', () => {
  const columns = columnsOf(1, 2);
  const keys = Int32Array.of(0, 1);
  expect(rowsByKey(columns, 'thread', keys)).toBe(rowsByKey(columns, 'thread', keys));
  expect(rowsByKey(columns, 'gpu', keys)).not.toBe(rowsByKey(columns, 'thread', keys));
  expect(rowsByKey({ ...columns }, 'thread', keys)).not.toBe(rowsByKey(columns, 'thread', keys));
});
