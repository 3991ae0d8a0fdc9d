import { expect, test } from 'vitest';
import { compareRuns } from './compare-runs.ts';
import { slowerSteps } from './slower-steps.ts';
import { runSummary as run } from './testing/run-summary.ts';

const check = (...steps: readonly number[]) =>
  slowerSteps(
    steps.map((stepMs) => compareRuns(run(), run({ stepMs }))),
    0.03,
  );

test('a run that is surely slower fails, one that cannot be compared is no pass', () => {
  expect(check(90, 110)).toMatchObject({
    outcome: 'slower',
    why: expect.stringMatching(/^Slower: .* 1\.1\d\d times as long .* fails from 3\.0 % on\.$/),
  });
  expect(check(100)).toEqual({ outcome: 'passed' });
  const other = compareRuns(run(), run({ environment: { ranks: 2 } }));
  expect(slowerSteps([other], 0.03)).toMatchObject({
    outcome: 'cannot-tell',
    why: expect.stringMatching(/^Not comparable, because of Ranks: .* has not passed: record both/),
  });
});

test('of a pass by noise alone it is said that a slowdown is not ruled out', () => {
  const step = { firstNs: 1, secondNs: 1.2, ratio: 1.2, low: 0.8, high: 1.7 };
  expect(slowerSteps([{ ...compareRuns(run(), run()), step }], 0.03)).toEqual({
    outcome: 'passed',
    why: expect.stringMatching(
      /^A slowdown of 3\.0 % is not ruled out: .* a step may be 1\.700 times as long\./,
    ),
  });
});
