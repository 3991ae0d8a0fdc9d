import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coarseLanes, countByLane } from './coarse-lanes.ts';

const LENGTH_NS = 100;
const STRETCHES = 7;
const LANES = 3;

/** Lane −1 and 3 are none. */
const events = fc.array(
  fc.record({
    startNs: fc.integer({ min: 0, max: LENGTH_NS }),
    durationNs: fc.integer({ min: 0, max: LENGTH_NS }),
    lane: fc.integer({ min: -1, max: LANES }),
  }),
  { maxLength: 40 },
);

test('is busy where any event is, each moment once, in whatever order they stand', () => {
  fc.assert(
    fc.property(events, (all) => {
      const table = {
        startNs: Float64Array.from(all, ({ startNs }) => startNs),
        durationNs: Float64Array.from(all, ({ durationNs }) => durationNs),
        laneOf: Int32Array.from(all, ({ lane }) => lane),
        order: Uint32Array.from(all.keys()).sort((a, b) => all[a].startNs - all[b].startNs),
      };
      const wanted = [2, 0];
      const lanes = coarseLanes(table, wanted, LENGTH_NS, STRETCHES);
      expect(lanes.map(({ lane }) => lane)).toEqual(wanted);
      const stretchNs = LENGTH_NS / STRETCHES;
      for (const { lane, busyNs } of lanes) {
        const naive = new Float64Array(STRETCHES);
        for (let ns = 0; ns < LENGTH_NS; ns++) {
          const isBusy = all.some(
            (each) =>
              each.lane === lane && each.startNs <= ns && ns < each.startNs + each.durationNs,
          );
          // A nanosecond may lie in two stretches.
          for (let at = 0; isBusy && at < STRETCHES; at++)
            naive[at] += Math.max(
              0,
              Math.min(ns + 1, (at + 1) * stretchNs) - Math.max(ns, at * stretchNs),
            );
        }
        for (const [at, ns] of busyNs.entries()) expect(ns).toBeCloseTo(naive[at], 6);
      }
      const counts = countByLane(table, LANES);
      expect([...counts]).toEqual(
        [0, 1, 2].map((lane) => all.filter((each) => each.lane === lane).length),
      );
    }),
    { seed: 1, numRuns: 200 },
  );
});
