import { describe, expect, test } from 'vitest';
import type { StepSeries } from '../../src-main/shared/answers/comparison.ts';
import { alignedRuns, STEP_UNIT, valueOfStep } from './aligned-steps.ts';

const series = (
  startsNs: number[],
  lengthNs: number,
  more: Partial<StepSeries> = {},
): StepSeries => ({
  ...{ before: 2, groupSize: 1, startsNs, durationsNs: startsNs.map(() => lengthNs) },
  parts: { input: startsNs.map(() => lengthNs / 2), compute: startsNs.map(() => lengthNs / 2) },
  ...more,
});

const first = series([100, 130, 160], 25);
const second = series([1_000, 1_010], 10, { before: 0 });

describe('aligned runs', () => {
  test('by time both begin with their first compared step', () => {
    const runs = alignedRuns({ first, second }, 'time');
    expect(runs.lengthNs).toBe(85);
    expect(runs.first.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([
      [0, 25],
      [30, 55],
      [60, 85],
    ]);
    expect(runs.second.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([
      [0, 10],
      [10, 20],
    ]);
    expect(runs.first[1]).toMatchObject({
      step: 4,
      lengthNs: 25,
      inTrace: { startNs: 130, endNs: 155 },
    });
    expect(runs.first[1]?.parts).toEqual({ input: 12.5, compute: 12.5 });
  });

  test('by step the same number stands below the same number', () => {
    const runs = alignedRuns({ first, second }, 'step');
    expect(runs.lengthNs).toBe(3 * STEP_UNIT);
    expect(runs.second[1]).toMatchObject({ startNs: STEP_UNIT, endNs: 2 * STEP_UNIT, step: 2 });
  });

  test('a value of several steps is as wide as they are, up to the next', () => {
    const grouped = series([0, 50], 20, { groupSize: 4 });
    const runs = alignedRuns({ first: grouped, second }, 'time');
    expect(runs.first.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([
      [0, 50],
      [50, 130],
    ]);
    expect(runs.first[1]).toMatchObject({ step: 7, steps: 4, lengthNs: 20 });
    expect(valueOfStep(runs.first, 3)?.at).toBe(0);
    expect(valueOfStep(runs.first, 4)?.at).toBe(1);
    expect(valueOfStep(runs.first, 8)).toBeUndefined();
  });

  test('runs without values are an empty axis', () => {
    const none = series([], 0);
    expect(alignedRuns({ first: none, second: none }, 'time')).toEqual({
      ...{ first: [], second: [], lengthNs: 1 },
    });
    expect(valueOfStep([], 0)).toBeUndefined();
  });
});
