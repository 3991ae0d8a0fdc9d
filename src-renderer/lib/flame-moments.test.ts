import { expect, test } from 'vitest';
import type { FlameTree } from '../../src-main/shared/answers/flame.ts';
import { momentTicks, tellsMoments } from './flame-moments.ts';

/** 100 samples: 50 in the first second, then none for eight, then 50 in the last. */
const tree = {
  moments: [
    [0, 0],
    [50, 1e9],
    [50, 9e9],
    [100, 10e9],
  ],
  totalWeight: 100,
  cutWeight: 0,
} as unknown as FlameTree;

test('marks stand where time went, and none on another one', () => {
  const ticks = momentTicks(tree, { left: 0, right: 1 }, 1_000);
  expect(ticks.map(({ x }) => x)).toEqual([0, 500, 1_000]);
  expect(ticks[1]?.label).toContain('+1');
});

test('marks follow what is in view', () => {
  const ticks = momentTicks(tree, { left: 0, right: 0.25 }, 1_000);
  expect(ticks[0]).toMatchObject({ x: 0 });
  expect(ticks.at(-1)?.x).toBeCloseTo(1_000);
  expect(ticks.length).toBeGreaterThan(3);
});

test('without moments, or with much cut away, there are none to show', () => {
  expect(tellsMoments(tree)).toBe(true);
  expect(tellsMoments({ ...tree, cutWeight: 5 })).toBe(false);
  expect(tellsMoments({ ...tree, moments: undefined } as unknown as FlameTree)).toBe(false);
});
