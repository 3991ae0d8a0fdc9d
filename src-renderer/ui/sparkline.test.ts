import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layoutSparkline } from './sparkline.ts';

const size = { width: 104, height: 24, capacity: 5, top: 100 };

test('the newest value ends at the right edge, 0 lies at the bottom, the top at the top', () => {
  expect(layoutSparkline([0, 100], size)).toEqual({ path: 'M77,22L102,2', dots: [] });
});

test('what is not known is a gap; a value between gaps is a dot', () => {
  expect(layoutSparkline([0, 0, null, 50, null], size)).toEqual({
    path: 'M2,22L27,22',
    dots: [[77, 12]],
  });
  expect(layoutSparkline([null, null], size)).toEqual({ path: '', dots: [] });
  expect(layoutSparkline([], size)).toEqual({ path: '', dots: [] });
});

test('no value leaves the box, and none that is known is left out', () => {
  const value = fc.option(fc.double({ min: -1e3, max: 1e12, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 240 }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (values, top) => {
        const { path, dots } = layoutSparkline(values, {
          width: 200,
          height: 30,
          capacity: 240,
          top,
        });
        const points = [...path.matchAll(/([\d.-]+),([\d.-]+)/g)].map(([, x, y]) => [
          Number(x),
          Number(y),
        ]);
        const all = [...points, ...dots];
        expect(all).toHaveLength(values.filter((each) => each !== null).length);
        for (const [x = -1, y = -1] of all) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(200);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(30);
        }
      },
    ),
  );
});
