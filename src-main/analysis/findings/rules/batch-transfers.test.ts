import { expect, test } from 'vitest';
import { cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { batchTransfers } from './batch-transfers.ts';

const example = exampleFacts('batch-transfers');

test('counts them by step', () => {
  const judgement = batchTransfers.judge(example);
  expect(judgement?.sentence).toContain('20 copies a step of 8 B on average');
  expect(judgement?.claims).toBeDefined();
});

test('beside large copies the time is not theirs alone: no claim', () => {
  const costs = [cell('h2d', 'main', 'transfer', 5 * SECOND)];
  const judgement = batchTransfers.judge({ ...example, costs });
  expect(judgement).toBeDefined();
  expect(judgement?.claims).toBeUndefined();
});

/** 20 copies of 0.5 ms in each of 100 steps, so far apart, each waited for at once or not. */
function copiesApart(apartNs: number, isWaitedFor = false) {
  const copies = Array.from({ length: 2_000 }, (_, at) => ({
    startNs: Math.floor(at / 20) * 100 * MS + (at % 20) * (0.5 * MS + apartNs),
    ...{ durationNs: 0.5 * MS, thread: 0, op: 0, layer: 1, parent: -1, bytes: 8, direction: 1 },
  }));
  const waits = copies.map(({ startNs }) => ({
    ...{ startNs: startNs + 0.5 * MS, durationNs: 0.1 * MS },
    ...{ thread: 0, op: 1, layer: 1, parent: -1, bytes: -1, direction: 0 },
  }));
  const calls = isWaitedFor ? [...copies, ...waits] : copies;
  return batchTransfers.judge(
    exampleFacts('batch-transfers', {
      hostTime: { startsNs: Float64Array.of(0), endsNs: Float64Array.of(10 * SECOND) },
      costs: [copying, other],
      trace: {
        names: [
          ['CUDA', 'cudaMemcpyAsync'],
          ['CUDA', 'cudaStreamSynchronize'],
        ],
        rows: { cuda_call: calls.toSorted((a, b) => a.startNs - b.startNs) },
      },
    }),
  );
}

const other = cell('other', 'main', 'running', 4 * SECOND, { activity: 'host-metrics' });
const copying = cell('h2d', 'main', 'transfer', SECOND);

test('the way from one to the next is theirs, as much of the work on a CPU as it takes', () => {
  const near = copiesApart(0.5 * MS);
  expect(near?.claims?.(other)).toBe(true);
  expect(near?.claims?.(cell('other', 'main', 'sleeping', SECOND))).toBe(false);
  expect(near?.claimPart?.(other)).toBeCloseTo(0.95 / 4, 6);
  expect(near?.claimPart?.(copying)).toBe(1);
  expect(near?.sentence).toContain('From one to the next the loop took 950.0 ms more.');
  const far = copiesApart(2 * MS);
  expect(far?.claims?.(other)).toBe(false);
  expect(far?.sentence).not.toContain('From one to the next');
});

test('it begins after the wait for a copy, where that is waited for', () => {
  expect(copiesApart(0.5 * MS, true)?.claimPart?.(other)).toBeCloseTo((0.95 * 0.8) / 4, 6);
});

test('silent without steps, and where a step has few', () => {
  const none = { ...example.steps, basis: 'none' as const };
  expect(batchTransfers.judge({ ...example, steps: none })).toBeUndefined();
  expect(
    batchTransfers.judge({ ...example, steps: { ...example.steps, count: 1000 } }),
  ).toBeUndefined();
});

test('says where they are not at every step', () => {
  const { cuda_call: calls } = example.trace.tables;
  const startNs = calls.columns.startNs.map((ns) => Math.floor(ns / SECOND) * SECOND);
  const rare = { ...calls, columns: { ...calls.columns, startNs } };
  const trace = { ...example.trace, tables: { ...example.trace.tables, cuda_call: rare } };
  expect(batchTransfers.judge({ ...example, trace })?.sentence).toContain(
    '20 copies a step on average, every 10 steps, of 8 B on average',
  );
});
