import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchCollectives } from './match-collectives.ts';

const spans = (...stays: readonly (readonly [number, number])[]) => ({
  startsNs: Float64Array.from(stays, ([startNs]) => startNs),
  endsNs: Float64Array.from(stays, ([, endNs]) => endNs),
});

const staysOf = (...ranks: ReturnType<typeof spans>[]) =>
  matchCollectives(ranks, 10).map(({ stays }) => [...stays]);

test('what overlaps and ends together is one collective', () => {
  const one = spans([0, 100], [150, 200]);
  const other = spans([90, 101], [120, 203]);
  expect(staysOf(one, other)).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(matchCollectives([one, other], 10)[0]).toMatchObject({ latestNs: 90, earliestEndNs: 100 });
});

test('one that a rank lacks shifts none of the others', () => {
  expect(staysOf(spans([0, 100], [150, 200]), spans([160, 201]))).toEqual([
    [0, -1],
    [1, 0],
  ]);
});

test('what ends together without having overlapped, or overlaps and ends apart, is two', () => {
  expect(staysOf(spans([0, 100]), spans([101, 105]))).toEqual([
    [0, -1],
    [-1, 0],
  ]);
  expect(staysOf(spans([0, 100]), spans([50, 150]))).toEqual([
    [0, -1],
    [-1, 0],
  ]);
});

test('finds each collective again, whichever stays are missing', () => {
  const steps = fc.array(
    fc.array(fc.record({ late: fc.integer({ min: 1, max: 40 }), isSeen: fc.boolean() }), {
      minLength: 3,
      maxLength: 3,
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(steps, (each) => {
      const ranks = [0, 1, 2].map((rank) => {
        const seen = each.flatMap((step, at) => {
          const endNs = at * 100 + 50 + rank;
          return step[rank].isSeen
            ? [{ at, stay: [endNs - step[rank].late - rank, endNs] as const }]
            : [];
        });
        return { at: seen.map(({ at }) => at), spans: spans(...seen.map(({ stay }) => stay)) };
      });
      for (const { stays } of matchCollectives(
        ranks.map((rank) => rank.spans),
        10,
      )) {
        const steps = [...stays].flatMap((stay, rank) => (stay < 0 ? [] : [ranks[rank].at[stay]]));
        expect(new Set(steps).size).toBe(1);
      }
    }),
  );
});
