import { expect, test } from 'vitest';
import { shownSteps } from './shown-steps.ts';

const steps = Array.from({ length: 1_000 }, (_, at) => ({
  startNs: at * 100,
  endNs: at * 100 + (at === 777 ? 99 : 10),
}));

test('all steps are shown where there is room', () => {
  expect(shownSteps(steps.slice(0, 20), 800)).toHaveLength(20);
});

test('where there is none, the slowest of each place stands for the others', () => {
  const shown = shownSteps(steps, 400);
  expect(shown.length).toBeLessThanOrEqual(100);
  expect(shown).toContain(steps[777]);
  expect(shown.toSorted((a, b) => a.startNs - b.startNs)).toEqual(shown);
});
