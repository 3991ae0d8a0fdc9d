import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { jobsOf } from '../../jobs/job-index.ts';
import { withRoles } from '../../roles/roles.ts';
import { LAUNCH, loopTrace, MAIN, MS, oneStep } from '../../steps/testing/loop-trace.ts';
import { claimCells } from '../claim-costs.ts';
import { rankFacts } from '../facts/rank-facts.ts';
import { gainBound } from '../gain-bound.ts';
import { rules } from '../rules.ts';
import { evaluation } from './evaluation.ts';

const python = (symbol: string, line: number): Frame => ({
  ...{ symbol, file: '/home/u/train.py', line, language: 'python' as const },
});
const stacks = [
  [python('forward', 5), python('fit', 50)],
  [python('forward', 5), python('validate', 30), python('fit', 60)],
];
const STEPS = 40;
const isEvaluated = (step: number) => step % 10 >= 8;

/** Of 40 steps of 10 ms, two of ten are of an evaluation: 5 ms of each are CUDA calls. */
function facts() {
  const cuda_call = Array.from({ length: STEPS }, (_, step) =>
    oneStep(step * 10 * MS).map((one) => ({
      ...one,
      stack: one.op === LAUNCH ? -1 : Number(isEvaluated(step)),
    })),
  ).flat();
  const cpu_sample = Array.from({ length: STEPS }, (_, step) => ({
    ...{ startNs: (step * 10 + 7) * MS, thread: MAIN, stack: Number(isEvaluated(step)) },
  }));
  const trace = withRoles(
    loopTrace({ cuda_call, cpu_sample }, { stacks, lengthNs: STEPS * 10 * MS }),
  );
  return rankFacts(trace, jobsOf(trace))[0];
}

test('its whole stretch counts, calls included, and no time counts twice', () => {
  const own = facts();
  const judgement = evaluation.judge(own);
  // Three times from the first call of one step to the last one of the next; the fourth comes after the last step.
  expect(judgement?.sentence).toContain('while the model was evaluated in validate (train.py:30)');
  expect(judgement?.sentence).toContain('3 times, 15.00 ms on average');
  expect(judgement?.culprit).toBe('validate');
  const claimedNs = own.costs
    .filter(judgement?.claims ?? Boolean)
    .reduce((ns, each) => ns + each.ns, 0);
  expect(claimedNs).toBeGreaterThanOrEqual(3 * 14.7 * MS);
  expect(claimedNs).toBeLessThanOrEqual(3 * 20.5 * MS);
  const bound = judgement && gainBound(own, judgement);
  expect(bound?.gainUpToNs).toBeGreaterThanOrEqual(3 * 15 * MS);
  const judged = rules.flatMap((rule) => {
    const found = rule.judge(own);
    return found === undefined ? [] : [{ id: rule.id, judgement: found }];
  });
  const all = claimCells(judged, own.costs).flatMap(({ cells }) => cells);
  const allNs = all.reduce((ns, each) => ns + each.ns, 0);
  expect(allNs).toBeLessThanOrEqual(own.window[1] - own.window[0] + 1);
});

test('what was trained in between is none of it', () => {
  const own = facts();
  const inCalls = own.costs.filter(
    ({ phase, activity }) => phase !== 'other' && activity === 'evaluation',
  );
  // Where the stacks of the calls say so, and never in those of training.
  const ns = inCalls.reduce((sum, each) => sum + each.ns, 0);
  expect(Math.round(ns / MS)).toBe(Math.round(3 * 2 * 4.7));
});
