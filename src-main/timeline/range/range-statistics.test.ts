import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import { buildLane, type EventLane, ownEvents } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import { finished } from './finished.ts';
import { rangeStatistics } from './range-statistics.ts';

function laneOf(events: readonly (readonly [startNs: number, durationNs: number])[]): EventLane {
  const sorted = events.toSorted(([a], [b]) => a - b);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(sorted, ([startNs]) => startNs),
      durationNs: Float64Array.from(sorted, ([, durationNs]) => durationNs),
      rows: Uint32Array.from(sorted.keys()),
      colours: new Uint8Array(sorted.length),
    }),
  );
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

  test('told apart by a number that tells the names apart too, they are the same', () => {
    const event = fc.tuple(fc.nat(100), fc.nat(20));
    fc.assert(
      fc.property(fc.array(event), fc.nat(60), fc.nat(60), (events, startNs, lengthNs) => {
        const drawn = laneOf(events);
        const range = { startNs, endNs: startNs + lengthNs };
        const kindOf = (_: EventLane, index: number) => index % 7;
        const nameOf = (lane: EventLane, index: number) => `${kindOf(lane, index) % 3}`;
        const figures = (named: object) =>
          finished(
            rangeStatistics(
              [
                { lane: drawn, nameOf, ...named },
                { lane, nameOf },
              ],
              range,
            ),
          );
        expect(figures({ kindOf })).toEqual(figures({}));
      }),
      { seed: 1 },
    );
  });

  test('more events of one name than are counted between two pauses all count', () => {
    const many = 450_000;
    const long = buildLane(
      ownEvents({
        startNs: Float64Array.from({ length: many }, (_, at) => at),
        durationNs: new Float64Array(many).fill(1),
        rows: new Uint32Array(many),
        colours: new Uint8Array(many),
      }),
    );
    expect(statisticsOf(long, { startNs: 5, endNs: many })).toMatchObject([
      { count: many - 5, totalNs: many - 5, p50Ns: 1, maxNs: 1 },
    ]);
  });
});
