import { expect, test } from 'vitest';
import { cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { coldStart } from './cold-start.ts';
import { lazyInit } from './lazy-init.ts';
import { spawn } from './spawn.ts';

test('workers that need seconds to start are told, those that fork in a moment not', () => {
  expect(lazyInit.judge(exampleFacts('lazy-init'))?.sentence).toContain('the slowest 4.000 s');
  const workers = [{ cycles: { starting: 50 * MS } }];
  expect(lazyInit.judge(exampleFacts('lazy-init', { workers }))).toBeUndefined();
  const costs = [cell('input', 'worker', 'running', SECOND)];
  expect(lazyInit.judge(exampleFacts('lazy-init', { costs }))).toBeUndefined();
});

test('CUDA calls of a worker that was forked before the first call are no finding', () => {
  const judgement = spawn.judge(exampleFacts('spawn'));
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.evidence[0]?.events.count).toBe(1);
  const processes = [{ pid: 100 }, { pid: 101, startNs: 0 }];
  const { trace: _, ...facts } = exampleFacts('spawn');
  expect(facts.workers).toHaveLength(1);
  expect(
    spawn.judge(
      exampleFacts('spawn', {
        trace: {
          processes,
          threads: [
            { tid: 100, process: 0 },
            { tid: 101, process: 1 },
          ],
          rows: {
            cuda_call: [
              { startNs: SECOND, thread: 0 },
              { startNs: 2 * SECOND, thread: 1 },
            ],
          },
        },
      }),
    ),
  ).toBeUndefined();
});

test('a slow first call is told only of a process that was recorded from its start', () => {
  const facts = exampleFacts('cold-start');
  expect(coldStart.judge(facts)?.sentence).toContain('The first cudaLaunchKernel took 1.000 s');
  expect(coldStart.judge(facts)?.claims).toBeUndefined();
  const attached = exampleFacts('cold-start', {
    trace: {
      names: [['CUDA', 'cudaLaunchKernel']],
      rows: {
        cuda_call: Array.from({ length: 40 }, (_, at) => ({
          startNs: at * SECOND * 0.2,
          durationNs: at === 0 ? SECOND : 0.01 * MS,
          thread: 0,
        })),
      },
    },
  });
  expect(coldStart.judge(attached)).toBeUndefined();
});
