import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowWindow, scrollToRow } from './row-window.ts';

const box = fc.record({
  count: fc.nat(10_000),
  rowPx: fc.integer({ min: 10, max: 60 }),
  scrollPx: fc.integer({ min: -50, max: 400_000 }),
  viewPx: fc.nat(3_000),
});

test('what is made and what is left out is every row, and all on the screen are made', () => {
  fc.assert(
    fc.property(box, ({ count, rowPx, scrollPx, viewPx }) => {
      const { from, to, beforePx, behindPx } = rowWindow(count, rowPx, scrollPx, viewPx);
      expect(beforePx + (to - from) * rowPx + behindPx).toBe(count * rowPx);
      expect(to - from).toBeLessThanOrEqual(viewPx / rowPx + 27);
      for (const y of [scrollPx, scrollPx + viewPx - 1]) {
        const row = Math.floor(y / rowPx);
        if (y >= 0 && row < count && viewPx > 0) expect(row >= from && row < to).toBe(true);
      }
    }),
  );
});

test('a row that was scrolled to is on the screen', () => {
  fc.assert(
    fc.property(box, fc.nat(10_000), ({ rowPx, scrollPx, viewPx }, index) => {
      fc.pre(viewPx >= rowPx);
      const scrolled = scrollToRow(index, rowPx, scrollPx, viewPx);
      expect(index * rowPx).toBeGreaterThanOrEqual(scrolled);
      expect((index + 1) * rowPx).toBeLessThanOrEqual(scrolled + viewPx);
    }),
  );
});
