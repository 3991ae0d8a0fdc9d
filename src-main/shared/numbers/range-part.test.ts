import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nsInRange } from './range-part.ts';

const range = { startNs: 10, endNs: 20 };

test.each([
  ['inside', 12, 3, 3],
  ['over both ends', 0, 40, 10],
  ['over the begin', 5, 8, 3],
  ['over the end', 18, 8, 2],
  ['before', 0, 10, -1],
  ['after', 20, 5, -1],
  ['a moment at the begin', 10, 0, 0],
  ['a moment at the end', 20, 0, -1],
])('%s', (_, startNs, durationNs, part) => {
  expect(nsInRange(startNs, durationNs, range)).toBe(part);
});

test('the parts in two halves add up', () => {
  const any = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(any, any, any, any, any, (startNs, durationNs, a, b, c) => {
      const [from = 0, middle = 0, to = 0] = [a, b, c].toSorted((x, y) => x - y);
      const partOf = (fromNs: number, toNs: number) =>
        Math.max(0, nsInRange(startNs, durationNs, { startNs: fromNs, endNs: toNs }));
      expect(partOf(from, middle) + partOf(middle, to)).toBe(partOf(from, to));
    }),
  );
});
