import { expect, test } from 'vitest';
import { resumesAmong } from './resumes.ts';

const MS = 1e6;

/** A worker that is asked and has put at these times, ms; the first of all begins with its birth. */
function worker(...cycles: readonly (readonly [askedMs: number, putMs: number])[]) {
  const putsNs = Float64Array.from(cycles, ([, putMs]) => putMs * MS);
  return {
    startsNs: Float64Array.from(cycles, ([askedMs]) => askedMs * MS),
    putsNs,
    freeNs: Float64Array.from(cycles, (_, at) => (at === 0 ? 0 : putsNs[at - 1])),
  };
}

/** So many batches of 0.3 ms, asked for every 28 ms from `fromMs` on. */
const batches = (fromMs: number, count = 6) =>
  Array.from({ length: count }, (_, at) => [fromMs + at * 28, fromMs + at * 28 + 0.3] as const);

const found = (...workers: readonly ReturnType<typeof worker>[]) =>
  resumesAmong(workers).map((own) => [...own]);

test('workers that are told at once that another epoch begins answer before any is asked for a batch', () => {
  expect(
    found(
      worker([0, 1], ...batches(10), [200, 200.1], [200.6, 440], ...batches(450)),
      worker([0, 1], ...batches(24), [200.1, 200.3], [200.7, 410], ...batches(464)),
    ),
  ).toEqual([[7], [7]]);
});

test.each([
  ['are asked in turn', [...batches(10, 9)], [...batches(24, 9)]],
  [
    'make a batch each of two that are taken at once, and are asked again for the next two',
    [...batches(10, 9)],
    [...batches(10.1, 9)],
  ],
  [
    'are asked for the next batch before all have answered',
    [...batches(10), [200, 200.1], [200.15, 440], ...batches(450)],
    [...batches(24), [200.1, 200.3], [200.7, 410], ...batches(464)],
  ],
] as const)('workers that %s have not', (_, one, other) => {
  expect(found(worker([0, 1], ...one), worker([0, 1], ...other))).toEqual([[], []]);
});

test('of one worker alone nobody can tell', () => {
  expect(found(worker([0, 1], ...batches(10), [200, 200.1], [200.6, 440]))).toEqual([[]]);
});
