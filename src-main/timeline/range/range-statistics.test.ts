import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import { buildLane, type EventLane } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import { finished } from './finished.ts';
import { rangeStatistics } from './range-statistics.ts';

function laneOf(events: readonly (readonly [startNs: number, durationNs: number])[]): EventLane {
  const sorted = events.toSorted(([a], [b]) => a - b);
  return buildLane({
    startNs: Float64Array.from(sorted, ([startNs]) => startNs),
    durationNs: Float64Array.from(sorted, ([, durationNs]) => durationNs),
    rows: Uint32Array.from(sorted.keys()),
    colours: new Uint8Array(sorted.length),
  });
}

function statisticsOf(
  lane: EventLane,
  range: TimeWindow,
  nameOf: (index: number) => string = () => 'event',
): readonly NameStatistics[] {
  return finished(rangeStatistics([{ lane, nameOf: (_, index) => nameOf(index) }], range));
}

const lane = laneOf([
  [0, 5],
  [10, 1],
  [20, 9],
  [30, 3],
  [40, 7],
]);
const nameOf = (index: number) => (index === 1 ? 'copy' : 'sync');

describe('range statistics', () => {
  test('events in the range, by name, largest sum first', () => {
    const statistics = statisticsOf(lane, { startNs: 10, endNs: 40 }, nameOf);
    expect(statistics.map(({ name, count, totalNs }) => [name, count, totalNs])).toEqual([
      ['sync', 2, 12],
      ['copy', 1, 1],
    ]);
    expect(statistics[0]).toMatchObject({ p50Ns: 3, p95Ns: 9, p99Ns: 9, maxNs: 9 });
  });

  test('an event over an edge counts its part; percentiles and maximum are of whole ones', () => {
    expect(statisticsOf(lane, { startNs: 24, endNs: 42 })).toMatchObject([
      { count: 3, totalNs: 5 + 3 + 2, p50Ns: 7, maxNs: 9 },
    ]);
    expect(statisticsOf(laneOf([[0, 100]]), { startNs: 40, endNs: 50 })).toMatchObject([
      { count: 1, totalNs: 10, maxNs: 100 },
    ]);
  });

  test('the sums of the two parts of a range add up', () => {
    const any = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.array(fc.tuple(any, any)), any, any, any, (events, a, b, c) => {
        const [from = 0, middle = 0, to = 0] = [a, b, c].toSorted((x, y) => x - y);
        const drawn = laneOf(events);
        const sumOf = (startNs: number, endNs: number) =>
          statisticsOf(drawn, { startNs, endNs })[0]?.totalNs ?? 0;
        expect(sumOf(from, middle) + sumOf(middle, to)).toBe(sumOf(from, to));
      }),
    );
  });
});
