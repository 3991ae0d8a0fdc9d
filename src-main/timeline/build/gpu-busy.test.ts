import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LaneEvents } from '../model/pyramid.ts';
import { startsOf } from '../testing/lane-times.ts';
import { busyStretches } from './gpu-busy.ts';

const LENGTH_NS = 200;

const someWork = fc
  .array(
    fc.record({
      startNs: fc.integer({ min: -20, max: 230 }),
      durationNs: fc.integer({ min: -1, max: 60 }),
      isCopy: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((work) => work.toSorted((a, b) => a.startNs - b.startNs));

/** The ns that stretches cover, one by one. */
function nsOf(events: LaneEvents): number[] {
  return Array.from(startsOf(events), (start, at) =>
    Array.from({ length: events.times.durationNs(at) }, (_, ns) => start + ns),
  ).flat();
}

test('computing, copying and idle tile the trace, as a look at each ns tells', () => {
  fc.assert(
    fc.property(someWork, (work) => {
      const columns = {
        startNs: Float64Array.from(work, ({ startNs }) => startNs),
        durationNs: Float64Array.from(work, ({ durationNs }) => durationNs),
      };
      const rows = Uint32Array.from(work.keys());
      const isCopy = (row: number) => work[row]?.isCopy === true;
      const found = busyStretches(columns, rows, isCopy, LENGTH_NS);
      const does = (ns: number, copies: boolean) =>
        work.some((one) => {
          const isOn = one.startNs <= ns && ns < one.startNs + one.durationNs;
          return isOn && one.isCopy === copies;
        });
      const all = Array.from({ length: LENGTH_NS }, (_, ns) => ns);
      expect(nsOf(found.computing)).toEqual(all.filter((ns) => does(ns, false)));
      expect(nsOf(found.copying)).toEqual(all.filter((ns) => does(ns, true) && !does(ns, false)));
      expect(nsOf(found.idle)).toEqual(all.filter((ns) => !does(ns, true) && !does(ns, false)));
      expect(nsOf(found.busy)).toEqual(all.filter((ns) => does(ns, true) || does(ns, false)));
    }),
  );
});

test('work without a pause is one stretch, however many pieces it has', () => {
  const count = 1_000;
  const columns = {
    startNs: Float64Array.from({ length: count }, (_, at) => at * 10),
    durationNs: new Float64Array(count).fill(10),
  };
  const rows = Uint32Array.from(columns.startNs.keys());
  const { busy, idle } = busyStretches(columns, rows, () => false, count * 10);
  expect([startsOf(busy).length, startsOf(idle).length]).toEqual([1, 0]);
});
