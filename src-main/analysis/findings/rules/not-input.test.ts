import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { recorded } from '../testing/loop-examples.ts';
import { notInput } from './not-input.ts';

test('a compute-bound job has a fine input path', () => {
  const judgement = notInput.judge(buildFacts());
  expect(judgement?.title).toBe('The input path is fine');
  expect(judgement?.claims).toBeUndefined();
});

test('silent without steps: a start that only makes CUDA calls shows no input path', () => {
  const { steps, ...facts } = buildFacts();
  expect(notInput.judge({ ...facts, steps: { ...steps, basis: 'none' } })).toBeUndefined();
});

test('silent below nine tenths of compute', () => {
  const facts = buildFacts({ costs: [cell('other', 'main', 'running', 1.1 * SECOND)] });
  expect(notInput.judge(facts)).toBeUndefined();
});

test('silent where the GPU was idle: compute then is not what the time went to', () => {
  const { starvation, ...facts } = buildFacts();
  const idle = { ...starvation, idleNs: 3 * SECOND, busyNs: 7 * SECOND };
  expect(notInput.judge({ ...facts, starvation: idle })).toBeUndefined();
});

test('by the GPU’s own records: fine where it computes, whatever the loop waits for meanwhile', () => {
  const costs = [cell('input', 'worker', 'running', 8 * SECOND)];
  const judgement = notInput.judge(
    buildFacts({ costs, starvation: recorded(9.5 * SECOND, 0.5 * SECOND) }),
  );
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.sentence).toMatch(/^GPU computed for 95\.0 % of the time/);
});

test('by the GPU’s own records: silent where it only copies for long', () => {
  expect(notInput.judge(buildFacts({ starvation: recorded(6 * SECOND, 0) }))).toBeUndefined();
});

test('says where the GPU’s idle time is not known', () => {
  const { starvation, ...facts } = buildFacts();
  const judgement = notInput.judge({ ...facts, starvation: { ...starvation, basis: 'unknown' } });
  expect(judgement?.evidence[2]).toMatchObject({ basis: 'unknown' });
  expect(judgement?.confidence).toBe('likely');
});
