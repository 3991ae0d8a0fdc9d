import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NoteMark } from '../lib/note-marks.ts';
import { coveredSpans, FLAG_SPACING, flagAt, layoutFlags } from './flag-layout.ts';

const window = { startNs: 0, endNs: 1_000 };
const mark = (atNs: number, label = ''): NoteMark => ({ id: `at ${atNs}`, atNs, label });

test('notes at one pixel are one flag with their number', () => {
  const flags = layoutFlags([mark(100), mark(101, '3'), mark(105), mark(500, '7')], window, 1_000);
  expect(flags.map(({ x, label }) => [x, label])).toEqual([
    [100, '×3'],
    [500, '7'],
  ]);
  expect(flags[0]?.marks).toHaveLength(3);
  expect(flagAt(flags, 110)).toBe(flags[0]);
  expect(flagAt(flags, 300)).toBeUndefined();
});

test('a great many are not counted to the last', () => {
  const flags = layoutFlags(
    Array.from({ length: 5_000 }, () => mark(10)),
    window,
    1_000,
  );
  expect(flags.map(({ label }) => label)).toEqual(['99+']);
});

const marks = fc
  .array(fc.tuple(fc.integer({ min: -500, max: 1_500 }), fc.nat(800)), { maxLength: 80 })
  .map((list) =>
    list
      .toSorted((a, b) => a[0] - b[0])
      .map(
        ([atNs, length], index): NoteMark => ({
          id: String(index),
          atNs,
          label: '',
          range: { startNs: atNs, endNs: atNs + length },
        }),
      ),
  );
const widths = fc.integer({ min: 50, max: 4_000 });

test('every note in view has a flag, flags do not overlap, none is off the canvas', () => {
  fc.assert(
    fc.property(marks, widths, (list, width) => {
      const flags = layoutFlags(list, window, width);
      const inView = list.filter(({ atNs }) => atNs >= 0 && atNs <= 1_000);
      expect(flags.flatMap((flag) => flag.marks.map(({ id }) => id))).toEqual(
        inView.map(({ id }) => id),
      );
      flags.forEach(({ x }, index) => {
        expect(x >= 0 && x <= width).toBe(true);
        const before = flags[index - 1];
        if (before !== undefined) expect(x - before.x).toBeGreaterThanOrEqual(FLAG_SPACING);
      });
    }),
  );
});

test('ranges that lie over another cover each place once', () => {
  fc.assert(
    fc.property(marks, widths, (list, width) => {
      const spans = coveredSpans(list, window, width);
      spans.forEach(({ left, right }, index) => {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(width);
        const before = spans[index - 1];
        if (before !== undefined) expect(left).toBeGreaterThan(before.right);
      });
      const middle = width / 2;
      const isCovered = spans.some(({ left, right }) => left <= middle && right >= middle);
      const expected = list.some(
        ({ range }) => range !== undefined && range.startNs <= 500 && range.endNs >= 500,
      );
      if (expected) expect(isCovered).toBe(true);
      expect(spans.length).toBeLessThanOrEqual(1 + width / 4);
    }),
  );
});
