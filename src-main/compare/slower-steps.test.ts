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
    why: expect.stringMatching(
      /^Slower: a mean step is 10\.\d % longer than .* fails from 3\.0 % on\.$/,
    ),
  });
  expect(check(100)).toEqual({ outcome: 'passed' });
  const other = compareRuns(run(), run({ environment: { ranks: 2 } }));
  expect(slowerSteps([other], 0.03)).toMatchObject({
    outcome: 'cannot-tell',
    why: expect.stringMatching(
      /^Not comparable: .* Ranks \(1 → 2\)\. .* has not passed: record both/,
    ),
  });
});

test('of a pass by noise alone it is said that a slowdown is not ruled out', () => {
  const step = { firstNs: 1, secondNs: 1.2, ratio: 1.2, low: 0.8, high: 1.7 };
  expect(slowerSteps([{ ...compareRuns(run(), run()), step }], 0.03)).toEqual({
    outcome: 'passed',
    why: expect.stringMatching(
      /^A slowdown of 3\.0 % is not ruled out: .* a step may be 70\.0 % longer\./,
    ),
  });
});

test('what has to be made sure of is said with a pass and with a failure', () => {
  const copies = (h2dBytesPerStep: number) => ({ environment: { h2dBytesPerStep } });
  const second = (stepMs: number) => compareRuns(run(copies(2e6)), run({ stepMs, ...copies(1e6) }));
  const note =
    'Check that both runs train on the same: each step of the second copies 50.0 % fewer';
  expect(slowerSteps([second(90)], 0.03)).toEqual({
    outcome: 'passed',
    why: expect.stringContaining(note),
  });
  expect(slowerSteps([second(110)], 0.03)).toEqual({
    outcome: 'slower',
    why: expect.stringContaining(note),
  });
});
