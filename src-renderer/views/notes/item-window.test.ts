import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemWindow } from './item-window.ts';

const cases = fc.record({
  heights: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 300 }),
  scrollPx: fc.integer({ min: -100, max: 200_000 }),
  viewPx: fc.nat(2_000),
  marginPx: fc.nat(800),
});

test('all items are made or left out, and every one in view is made', () => {
  fc.assert(
    fc.property(cases, ({ heights, scrollPx, viewPx, marginPx }) => {
      const heightOf = (index: number) => heights[index] ?? 0;
      const { from, to, beforePx, behindPx } = itemWindow(
        heights.length,
        heightOf,
        scrollPx,
        viewPx,
        marginPx,
      );
      const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
      expect(beforePx).toBe(sum(heights.slice(0, from)));
      expect(behindPx).toBe(sum(heights.slice(to)));
      let top = 0;
      heights.forEach((height, index) => {
        const inView = top < scrollPx + viewPx && top + height > Math.max(0, scrollPx);
        if (inView) expect(index >= from && index < to).toBe(true);
        top += height;
      });
    }),
  );
});

test('no more items are made than fill the view and its margins', () => {
  const { from, to } = itemWindow(5_000, () => 100, 250_000, 800, 400);
  expect([from, to]).toEqual([2_496, 2_512]);
});
