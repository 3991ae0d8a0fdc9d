import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { stateColour } from '../model/colours.ts';
import { joinEvents, partitionEvents } from '../model/lanes.ts';
import type { LaneEvents } from '../model/pyramid.ts';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { runTimes, waitRows, waitTimes } from './state-times.ts';
import { threadSegments, threadStates } from './thread-segments.ts';

/** As recorded, and as a hostile file may have it: rows that overlap, with parts that are longer than they are, broken, or not known. */
const number = fc.oneof(
  fc.nat(40),
  fc.nat(2 ** 40),
  fc.constantFrom(-1, 0, 0.5, 2 ** 33, 2 ** 60, -(2 ** 40), Number.NaN, Infinity),
);
const row = fc.record({
  afterNs: fc.oneof(fc.nat(60), fc.nat(2 ** 34), fc.constantFrom(0, 0.5, 2 ** 60)),
  durationNs: fc.oneof({ weight: 4, arbitrary: fc.nat(50) }, number),
  runQueueNs: fc.oneof({ weight: 4, arbitrary: fc.nat(60) }, number),
  state: fc.constantFrom(-1, 0, 1, 2, 0x100),
});
const moment = fc.oneof(fc.nat(3000), fc.constantFrom(-Infinity, Infinity));
const span = fc.tuple(moment, moment).map(([a, b]): TimeSpan => [Math.min(a, b), Math.max(a, b)]);

interface Row {
  readonly afterNs: number;
  readonly durationNs: number;
  readonly runQueueNs: number;
  readonly state: number;
}

function switches(rows: readonly Row[]) {
  let startNs = -5;
  const column = (value: (row: Row) => number) => Float64Array.from(rows, value);
  return {
    startNs: column(({ afterNs }) => {
      startNs += afterNs;
      return startNs;
    }),
    durationNs: column(({ durationNs }) => durationNs),
    runQueueNs: column(({ runQueueNs }) => runQueueNs),
    state: Int32Array.from(rows, ({ state }) => state),
  };
}

const isRun = ({ colours }: LaneEvents) => colours.map((each) => +(each === stateColour.running));

function expectSameTimes(rows: readonly Row[], complete: readonly TimeSpan[], life: TimeSpan) {
  const columns = switches(rows);
  const order = Uint32Array.from(rows.keys());
  const all = threadSegments(columns, order, { complete, life });
  const areRuns = isRun(all);
  const [runs, waits] = partitionEvents(all, (index) => areRuns[index] === 1);
  const told = [
    [runs, runTimes(columns, order, runs.times)],
    [waits, waitTimes(columns, waits)],
  ] as const;
  const kept = waitRows(order, waits.rows);
  expect([...kept]).toEqual([...waits.rows]);
  const fromKept = { times: waitTimes(columns, waits, kept) };
  expect(startsOf(fromKept)).toEqual(startsOf(waits));
  expect(durationsOf(fromKept)).toEqual(durationsOf(waits));
  const apart = threadStates(columns, order, { complete, life });
  for (const [events, own] of [
    [runs, apart.running],
    [waits, apart.waiting],
  ] as const) {
    expect(own.rows.length).toBe(events.rows.length);
    // What has no start has no place in an order.
    if (startsOf(all).some(Number.isNaN)) continue;
    expect(startsOf(own)).toEqual(startsOf(events));
    expect(durationsOf(own)).toEqual(durationsOf(events));
    expect([own.rows, own.colours]).toEqual([events.rows, events.colours]);
  }
  for (const [events, times] of told) {
    expect(startsOf({ times })).toEqual(startsOf(events));
    expect(durationsOf({ times })).toEqual(durationsOf(events));
    const picked = [...events.rows.keys()].filter((index) => index % 3 === 1);
    const some = {
      times: times.picked(
        picked,
        events.rows.filter((_, at) => at % 3 === 1),
      ),
    };
    expect(startsOf(some)).toEqual(startsOf(events).filter((_, index) => index % 3 === 1));
  }
  return told.map(([, times]) => times.constructor.name);
}

test('states that are read from their rows have the times that were worked out', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 150 }),
      fc.array(span, { maxLength: 3 }),
      span,
      (rows, spans, life) => {
        const complete = spans.toSorted((a, b) => a[0] - b[0]);
        expectSameTimes(rows, complete, life);
        expectSameTimes(rows, [[-Infinity, Infinity]], [-Infinity, Infinity]);
      },
    ),
    { numRuns: 300 },
  );
});

test('of a thread whose switches are all there nothing is kept but which part of a row each is', () => {
  const rows = Array.from({ length: 5000 }, (_, at) => ({
    afterNs: 100,
    durationNs: at % 7 === 0 ? 2 ** 34 : 40,
    runQueueNs: at % 3 === 0 ? 10 : 0,
    state: 1,
  })).map((each) => ({ ...each, afterNs: each.afterNs + 2 ** 34 }));
  const forever = [-Infinity, Infinity] as const;
  expect(expectSameTimes(rows, [[-5, 2 ** 50]], forever)).toEqual(['RunTimes', 'WaitTimes']);
});

test('the times of runs are kept where the rows are of several threads', () => {
  const rows = Array.from({ length: 400 }, () => ({
    afterNs: 10,
    durationNs: 15,
    runQueueNs: 0,
    state: 1,
  }));
  const columns = switches(rows);
  const order = Uint32Array.from(rows.keys());
  const complete = [[-5, 1e6]] as const;
  const lists = [0, 1].map((thread) =>
    threadSegments(
      columns,
      order.filter((each) => each % 2 === thread),
      { complete, life: [-Infinity, Infinity] },
    ),
  );
  const all = joinEvents(lists);
  const areRuns = isRun(all);
  const [runs] = partitionEvents(all, (index) => areRuns[index] === 1);
  const times = runTimes(columns, order, runs.times);
  expect(startsOf({ times })).toEqual(startsOf(runs));
  expect(durationsOf({ times })).toEqual(durationsOf(runs));
  expect(times.constructor.name).toBe('PackedTimes');
});

test('rows of waits are those that they are told by, in order or not, and where many rows lie between two', () => {
  const order = fc
    .uniqueArray(fc.nat(2000), { maxLength: 600 })
    .map((rows) => Uint32Array.from(rows));
  fc.assert(
    fc.property(
      order,
      fc.array(fc.nat(4000), { maxLength: 300 }),
      fc.boolean(),
      (rows, at, isSorted) => {
        const places = isSorted ? at.toSorted((a, b) => a - b) : at;
        const own = Uint32Array.from(
          places,
          (place) => rows[place % Math.max(1, rows.length)] ?? place,
        );
        const kept = waitRows(rows, own);
        expect(kept.length).toBe(own.length);
        expect([...kept]).toEqual([...own]);
        expect(Array.from(own.keys(), (index) => kept.at(index))).toEqual([...own]);
        expect(kept.at(own.length)).toBeUndefined();
      },
    ),
  );
});

test('rows of waits in order take a byte each', () => {
  const rows = Uint32Array.from({ length: 640 }, (_, at) => 3 * at);
  const twice = Uint32Array.from({ length: 1280 }, (_, at) => rows[at >>> 1]);
  const { places } = waitRows(rows, twice) as unknown as { places: Record<string, Uint8Array> };
  expect(Object.values(places).map(({ byteLength }) => byteLength)).toEqual([4 * 21, 1280]);
});
