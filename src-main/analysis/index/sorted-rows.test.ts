import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { rowsByIndex, sortedRows, type TimeColumns } from './sorted-rows.ts';

const span = fc.record({
  startNs: fc.nat(300),
  durationNs: fc.nat(60),
  thread: fc.integer({ min: -1, max: 1 }),
});
const spansInOrder = fc
  .array(span, { maxLength: 60 })
  .map((spans) => spans.toSorted((a, b) => a.startNs - b.startNs));

/** What is looked up, written out as arrays. */
function writtenOut({ startNs, durationNs }: TimeColumns, rows: Uint32Array) {
  const starts = Float64Array.from(rows, (row) => startNs[row]);
  let latestNs = -Infinity;
  const ends = Float64Array.from(rows, (row) => {
    latestNs = Math.max(latestNs, startNs[row] + (durationNs?.[row] ?? 0));
    return latestNs;
  });
  return { starts, ends };
}

test('times that are read where they stand are those of arrays, and are found in the same places', () => {
  fc.assert(
    fc.property(spansInOrder, fc.boolean(), (spans, areMoments) => {
      const columns = {
        startNs: Float64Array.from(spans, ({ startNs }) => startNs),
        ...(!areMoments && { durationNs: Float64Array.from(spans, (each) => each.durationNs) }),
      };
      const sorted = rowsByIndex(
        Int32Array.from(spans, ({ thread }) => thread),
        2,
      );
      for (const thread of [0, 1, 2]) {
        const { rows, startsNs, latestEndsNs } = sortedRows(columns, sorted, thread);
        const { starts, ends } = writtenOut(columns, rows);
        for (const [times, values] of [
          [startsNs, starts],
          [latestEndsNs, ends],
        ] as const) {
          expect(times.length).toBe(values.length);
          for (let at = -1; at <= values.length; at++) expect(times.nsAt(at)).toBe(values[at]);
          for (let ns = -1; ns <= 370; ns += 3) {
            expect(times.lowerBound(ns)).toBe(lowerBound(values, ns));
            expect(times.upperBound(ns)).toBe(upperBound(values, ns));
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});
