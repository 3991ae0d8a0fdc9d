import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { copies } from '../testing/loop-examples.ts';
import { pinMemory } from './pin-memory.ts';

test('says how many copies, how much, and the time of the loop', () => {
  const judgement = pinMemory.judge(exampleFacts('pin-memory'));
  expect(judgement?.sentence).toContain('100 copies of 2.235 GiB in all');
  expect(judgement?.confidence).toBe('proven');
});

test('says where the kind of memory is inferred', () => {
  const facts = { ...exampleFacts('pin-memory'), h2d: [copies('pageable', { exact: false })] };
  const judgement = pinMemory.judge(facts);
  expect(judgement?.evidence[0]).toMatchObject({ basis: 'inferred' });
  expect(judgement?.evidence[0].text).toContain('inferred');
  expect(judgement?.confidence).toBe('likely');
});

test('never behind unfinished kernels, nor of pinned or unknown memory', () => {
  const busy = [copies('pageable', { onEmptyStream: 0, onEmptyStreamNs: 0 })];
  const costs = [cell('h2d', 'main', 'staging', 2 * SECOND)];
  expect(pinMemory.judge(buildFacts({ h2d: busy, costs }))).toBeUndefined();
  for (const memory of ['pinned', 'registered', 'managed', 'unknown'] as const)
    expect(pinMemory.judge(buildFacts({ h2d: [copies(memory)], costs }))).toBeUndefined();
  const device = [cell('h2d', 'main', 'device', 2 * SECOND)];
  expect(pinMemory.judge(buildFacts({ h2d: [copies('pageable')], costs: device }))).toBeUndefined();
});

test('with a pin-memory thread at work the fix is another', () => {
  const example = exampleFacts('pin-memory');
  const rank = { ...example.rank, pinThreads: [5] };
  expect(pinMemory.judge({ ...example, rank })?.fix.title).toContain('convert it on the GPU');
});
