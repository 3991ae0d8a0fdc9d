import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RankedIds } from './ranked-ids.ts';

const MAX_U32 = 2 ** 32 - 1;

function ranked(ids: readonly number[]): { ids: RankedIds; count: number } {
  const all = new RankedIds(Math.min(...ids), Math.max(...ids));
  for (const id of ids) all.add(id);
  return { ids: all, count: all.rank() };
}

test('each is the how manyth it is in ascending order, and all others are none of them', () => {
  const anId = fc.integer({ min: 0, max: 2000 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: MAX_U32 - 2000 }),
      fc.array(anId, { minLength: 1 }),
      (from, given) => {
        const sorted = [...new Set(given)].sort((a, b) => a - b).map((id) => from + id);
        const { ids, count } = ranked(given.map((id) => from + id));
        expect(count).toBe(sorted.length);
        for (let id = from - 1; id <= from + 2001; id++)
          expect(ids.rankOf(id)).toBe(sorted.indexOf(id));
      },
    ),
    { numRuns: 50 },
  );
});

test('integers of 32 bits may lie as far apart as they can', () => {
  const { ids } = ranked([1, 2 ** 31, MAX_U32]);
  expect([1, 2, 2 ** 31, MAX_U32 - 1, MAX_U32].map((id) => ids.rankOf(id))).toEqual([
    0, -1, 1, -1, 2,
  ]);
});
