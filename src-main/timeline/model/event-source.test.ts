import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { type EventColumns, gatherEvents, lanesOf, rowsByKey } from './event-source.ts';
import { bytesOfLanes, laneOnce } from './kept-lanes.ts';
import { buildLane, type LaneEvents, ownEvents } from './pyramid.ts';

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

test('events read their times in the columns, where a broken duration is mended', () => {
  const startNs = Float64Array.of(1, 2, 3);
  const durationNs = Float64Array.of(5, 0, 7);
  const rows = Uint32Array.of(0, 1, 2);
  const all = gatherEvents({ startNs, durationNs }, rows, (row) => row + 1);
  expect(startsOf(all)).toEqual(startNs);
  expect(durationsOf(all)).toEqual(durationNs);
  expect([...all.colours]).toEqual([1, 2, 3]);
  const broken = gatherEvents({ startNs, durationNs: Float64Array.of(5, -1, NaN) }, rows, () => 0);
  expect([...durationsOf(broken)]).toEqual([5, 0, 0]);
  const turned = gatherEvents({ startNs, durationNs }, Uint32Array.of(0, 2, 1), () => 0);
  expect([...startsOf(turned)]).toEqual([1, 3, 2]);
});

test('lanes without overlaps do not keep all events on one line beside them', () => {
  const events = () =>
    ownEvents({
      startNs: Float64Array.of(0, 1, 20),
      durationNs: Float64Array.of(10, 2, 5),
      rows: Uint32Array.of(0, 1, 2),
      colours: new Uint8Array(3),
    });
  const before = bytesOfLanes();
  const owner = {};
  const { summary, lanes } = lanesOf(owner, 'x', events);
  expect(lanes().map(({ length }) => length)).toEqual([2, 1]);
  const split = bytesOfLanes() - before;
  expect(split).toBeLessThan(2 * bytesOfOne(events()));
  expect(summary().length).toBe(3);
  expect(bytesOfLanes() - before).toBeGreaterThan(split);
});

test('one line that needs no split is the same lane', () => {
  const { summary, lanes } = lanesOf({}, 'x', () =>
    ownEvents({
      startNs: Float64Array.of(0, 20),
      durationNs: Float64Array.of(10, 5),
      rows: Uint32Array.of(0, 1),
      colours: new Uint8Array(2),
    }),
  );
  expect(lanes()[0]).toBe(summary());
});

/** What a lane of all of them holds. */
function bytesOfOne(events: LaneEvents): number {
  const before = bytesOfLanes();
  laneOnce({}, 'one', () => buildLane(events))();
  return bytesOfLanes() - before;
}
