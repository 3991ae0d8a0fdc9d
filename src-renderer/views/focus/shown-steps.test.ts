import { expect, test } from 'vitest';
import { placeAt, shownSteps } from './shown-steps.ts';

const steps = Array.from({ length: 1_000 }, (_, at) => ({
  startNs: at * 100,
  endNs: at * 100 + (at === 777 ? 99 : 10),
}));

test('all steps are shown where there is room', () => {
  const shown = shownSteps(steps.slice(0, 20), 800, 2_000);
  expect(shown.map(({ step }) => step)).toEqual(steps.slice(0, 20));
  expect(shown.every(({ count }) => count === 1)).toBe(true);
  expect(shownSteps([], 800, 2_000)).toEqual([]);
});

test('where there is none, the slowest of each place stands for the others, as wide as all of them', () => {
  const shown = shownSteps(steps, 400, 100_000);
  expect(shown.length).toBeLessThanOrEqual(100);
  expect(shown.map(({ step }) => step)).toContain(steps[777]);
  expect(shown.toSorted((a, b) => a.startNs - b.startNs)).toEqual(shown);
  expect(shown.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  expect(shown[0]).toMatchObject({ startNs: 0, endNs: 910, count: 10 });
});

test('short steps beside a long one share a place that is wide enough to be seen and hit', () => {
  const lengths = [10, 10, 1_000, 10, 10, 10, 10, 30, 500, 10];
  let at = 0;
  const uneven = lengths.map((length) => {
    const startNs = at;
    at += length;
    return { startNs, endNs: at };
  });
  const shown = shownSteps(uneven, 200, at);
  const widths = shown.map(({ startNs, endNs }) => (200 * (endNs - startNs)) / at);
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(4);
  expect(shown.map(({ step }) => step)).toEqual(expect.arrayContaining([uneven[2], uneven[8]]));
  expect(shown.reduce((sum, { count }) => sum + count, 0)).toBe(uneven.length);
});

test('what is nearest to a moment is hit', () => {
  const shown = shownSteps(steps.slice(0, 3), 800, 300);
  expect(placeAt(shown, 105)?.step).toBe(steps[1]);
  expect(placeAt(shown, 120)?.step).toBe(steps[1]);
  expect(placeAt(shown, 190)?.step).toBe(steps[2]);
  expect(placeAt(shown, 9_000)?.step).toBe(steps[2]);
  expect(placeAt([], 5)).toBeUndefined();
});
