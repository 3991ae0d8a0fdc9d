import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { directIndexing } from './direct-indexing.ts';

const judge = (changes = {}) => directIndexing.judge(exampleFacts('direct-indexing', changes));

function faulting(minorFaults: number) {
  const states = { runningNs: 10 * SECOND, minorFaults };
  return { workers: [{ states, cycles: { running: 10 * SECOND } }], trace: {} };
}

test('is likely where samples show that batches are copied together', () => {
  const judgement = judge();
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.evidence[0]?.text).toContain('35 of 35 CPU samples');
  expect(judgement?.evidence[0]?.events.count).toBe(35);
});

test('is possible where faults alone show it', () => {
  expect(judge(faulting(3_000_000))?.confidence).toBe('possible');
  expect(judge(faulting(1_000_000))).toBeUndefined();
});

test('is silent where samples show something else, whatever the faults', () => {
  const trace = sampled({ item: 30, defaultCollate: 5 });
  expect(judge({ ...faulting(3_000_000), trace })).toBeUndefined();
});

test.each(['disk', 'sleeping'])('is silent where workers read or wait: %s', (cause) => {
  const workers = [{ cycles: { running: 7 * SECOND, [cause]: 2 * SECOND } }];
  expect(judge({ workers })).toBeUndefined();
});

test('also tells a training process that copies rows itself', () => {
  const judgement = judge({
    workers: [],
    costs: [cell('input', 'main', 'running', 4 * SECOND)],
    trace: sampled({ picking: 40 }, 0),
  });
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.fix.before).toContain('num_workers=0');
});

test('wins back the copying to the GPU too at most: what was picked a moment ago is in the caches', () => {
  const { costs } = exampleFacts('direct-indexing');
  const copying = cell('h2d', 'main', 'staging', SECOND);
  expect(judge({ costs: [...costs, copying] })?.gain).toMatchObject({ moreNs: SECOND });
});
