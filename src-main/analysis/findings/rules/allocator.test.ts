import { expect, test } from 'vitest';
import { gainBound } from '../gain-bound.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { allocator } from './allocator.ts';

const example = exampleFacts('allocator');

test('counts the calls after the warm-up', () => {
  const judgement = allocator.judge(example);
  expect(judgement?.sentence).toContain('180 calls after the first steps (cudaMalloc)');
});

test('allocations of the first steps only are how a cache fills', () => {
  const { cuda_call: calls } = example.trace.tables;
  const startNs = calls.columns.startNs.map((ns) => ns / 20);
  const early = { ...calls, columns: { ...calls.columns, startNs } };
  const trace = { ...example.trace, tables: { ...example.trace.tables, cuda_call: early } };
  expect(allocator.judge({ ...example, trace })).toBeUndefined();
});

test('those ordered on a stream do not wait for the GPU', () => {
  const trace = {
    ...example.trace,
    tables: { ...example.trace.tables },
    names: ['cudaMallocAsync'],
  };
  expect(allocator.judge({ ...example, trace })).toBeUndefined();
});

test('silent without steps', () => {
  expect(
    allocator.judge({ ...example, steps: { ...example.steps, basis: 'none' } }),
  ).toBeUndefined();
});

test('may win back more than the calls: all that allocating holds up', () => {
  const costs = [
    cell('compute', 'main', 'allocation', 2 * SECOND),
    cell('compute', 'main', 'fault', SECOND),
    cell('input', 'worker', 'running', SECOND),
    cell('compute', 'main', 'device', 6 * SECOND),
  ];
  const facts = exampleFacts('allocator', { costs });
  const judgement = allocator.judge(facts);
  if (judgement === undefined) throw new Error('nothing was found');
  expect(gainBound(facts, judgement)?.gainUpToNs).toBe(4 * SECOND);
});

test('is said to be in every step only where it is', () => {
  expect(allocator.judge(example)?.title).toMatch(/^Memory is allocated in every step/);
  const { cuda_call: calls } = example.trace.tables;
  const startNs = calls.columns.startNs.map((ns) => Math.floor(ns / SECOND) * SECOND);
  const rare = { ...calls, columns: { ...calls.columns, startNs } };
  const trace = { ...example.trace, tables: { ...example.trace.tables, cuda_call: rare } };
  const judgement = allocator.judge({ ...example, trace });
  expect(judgement?.title).toMatch(/^Memory is allocated long after the first steps/);
  expect(judgement?.sentence).toContain(' a step on average, every 10 steps. ');
});

test('pinned memory has a fix of its own: no setting of PyTorch’s allocator is for it', () => {
  const ofHost = (names: readonly string[]) => {
    const trace = { ...example.trace, names };
    return allocator.judge({ ...example, trace });
  };
  expect(ofHost(['cudaMalloc'])?.fix.after).toContain('PYTORCH_CUDA_ALLOC_CONF');
  const judgement = ofHost(['cudaHostAlloc']);
  expect(judgement?.title).toMatch(/^Pinned memory is allocated in every step/);
  expect(judgement?.fix.title).toBe('Pin a buffer once, and copy into it');
});
