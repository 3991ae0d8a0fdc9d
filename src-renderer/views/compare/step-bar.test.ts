import { expect, test } from 'vitest';
import { compareRuns } from '../../../src-main/compare/compare-runs.ts';
import { runSummary as run } from '../../../src-main/compare/testing/run-summary.ts';
import { stepTitle } from '../../../src-main/shared/words/comparison-rows.ts';
import { barsOfPair } from './step-bar.ts';

/** A run of which so many steps before the compared ones are left out. */
function after(warmUp: number, steps = 108) {
  const { steps: compared, ...rest } = run({ steps });
  return { ...rest, ...(compared && { steps: { ...compared, before: warmUp } }) };
}

const details = (...runs: Parameters<typeof compareRuns>) =>
  barsOfPair(compareRuns(...runs)).map(({ detail }) => detail);

test('of how many steps a mean is, and which are left out', () => {
  expect(details(after(12), after(12))).toEqual(['108 of 120 steps', '108 of 120 steps']);
  expect(details(after(0), after(200, 1800))).toEqual(['108 steps', '1,800 of 2,000 steps']);
  expect(stepTitle(compareRuns(after(12), after(12)))).toBe(
    'A step, without the warm-up (the first 12 of 120 steps of each run)',
  );
  expect(stepTitle(compareRuns(after(12), after(200, 1800)))).toBe(
    'A step, without the warm-up (the first 12 of 120 steps of the first run, 200 of 2,000 steps of the second)',
  );
  expect(stepTitle(compareRuns(after(0), after(0)))).toBe('A step');
});
