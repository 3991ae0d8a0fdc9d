import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { OwnTimes, packedTimes, RowTimes } from './event-times.ts';

const gap = fc.oneof(fc.nat(1000), fc.nat(2 ** 26), fc.constant(2 ** 33), fc.constant(0.5));
const duration = fc.oneof(fc.nat(5000), fc.constant(2 ** 32 - 1), fc.constant(2 ** 32));

test('packed times are what they were, in fewer bytes where they fit', () => {
  const gaps = fc.array(fc.tuple(gap, duration), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, (events) => {
      let startNs = -20;
      const starts = Float64Array.from(events, ([ns]) => {
        startNs += ns;
        return startNs;
      });
      const own = new OwnTimes(
        starts,
        Float64Array.from(events, ([, ns]) => ns),
      );
      const packed = packedTimes(own);
      expect(startsOf({ times: packed })).toEqual(own.startsNs);
      expect(durationsOf({ times: packed })).toEqual(own.durationsNs);
      const last = [Math.max(0, events.length - 1)].slice(0, events.length);
      expect(startsOf({ times: packed.picked(last, new Uint32Array(last)) })).toEqual(
        starts.slice(-1),
      );
    }),
  );
});

const bytesIn = (value: object) =>
  Object.values(value).reduce(
    (sum: number, each) => sum + (ArrayBuffer.isView(each) ? each.byteLength : 0),
    0,
  );

test('a packed event takes 8 bytes and its share of a moment, one that lasts longer than 32 bits tell 16', () => {
  const starts = Float64Array.from({ length: 128 }, (_, index) => 1e12 + index * 1e6);
  const short = new OwnTimes(starts, new Float64Array(128).fill(1e6));
  expect(bytesIn(packedTimes(short))).toBe(128 * 8 + 3 * 8);
  const long = new OwnTimes(starts, new Float64Array(128).fill(5e9));
  expect(packedTimes(long)).toBe(long);
});

test('times of rows keep nothing of their own', () => {
  const times = new RowTimes({ startNs: Float64Array.of(1, 2, 3) }, Uint32Array.of(2, 0));
  expect([...startsOf({ times })]).toEqual([3, 1]);
  expect([...durationsOf({ times })]).toEqual([0, 0]);
  expect(bytesIn(times)).toBe(0);
});

test('times that are read together are those that are read one by one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(gap, duration), { maxLength: 200 }),
      fc.nat(200),
      fc.nat(200),
      (events, a, b) => {
        const own = new OwnTimes(
          Float64Array.from(events, ([ns]) => ns).sort(),
          Float64Array.from(events, ([, ns]) => ns),
        );
        const columns = {
          startNs: own.startsNs,
          durationNs: Float64Array.from(own.durationsNs, (ns) => ns - 5),
        };
        const rows = Uint32Array.from(events.keys());
        const [from, to] = [Math.min(a, b), Math.max(a, b)].map((at) =>
          Math.min(at, events.length),
        );
        for (const times of [own, packedTimes(own), new RowTimes(columns, rows)]) {
          const starts = new Float64Array(to - from);
          const durations = new Float64Array(to - from);
          times.read(from, to, starts, durations);
          expect(starts).toEqual(startsOf({ times }).slice(from, to));
          expect(durations).toEqual(durationsOf({ times }).slice(from, to));
        }
      },
    ),
  );
});
