import { expect, test } from 'vitest';
import type { Provenance } from '../../../shared/model/trace.ts';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { cpuWait } from './cpu-wait.ts';

test('names nobody, and claims the time', () => {
  const judgement = cpuWait.judge(exampleFacts('cpu-wait'));
  expect(judgement?.sentence).toMatch(/^The training thread was ready .* 2\.000 s \(20\.0 %/);
  expect(judgement?.evidence.map(({ basis }) => basis)).toEqual(['exact', 'unknown']);
});

test('is as certain as the sums around calls are', () => {
  const facts = exampleFacts('cpu-wait');
  const calls = facts.trace.tables.cuda_call;
  const runQueueNs: Provenance = { kind: 'sampled', everyNs: 10 * MS, note: '' };
  const cuda_call = { ...calls, columnProvenance: { runQueueNs } };
  const tables = { ...facts.trace.tables, cuda_call };
  const judged = cpuWait.judge({ ...facts, trace: { ...facts.trace, tables } });
  expect(judged?.evidence[0]?.basis).toBe('inferred');
});

test('a share of a sum is about so much, beside what was measured in all', () => {
  const example = exampleFacts('cpu-wait');
  const costs = example.costs.map((each) => ({ ...each, isBound: true as const }));
  const judgement = cpuWait.judge({ ...example, costs });
  expect(judgement?.sentence).toContain('for about 2.000 s');
  expect(judgement?.evidence[0]?.basis).toBe('inferred');
});

test('says nothing where who ran is known, or of less than a hundredth of the time', () => {
  const known = cell('h2d', 'main', 'runnable-other', 2 * SECOND);
  const little = cell('h2d', 'main', 'runnable', 50 * MS);
  for (const costs of [[known], [little]])
    expect(cpuWait.judge(buildFacts({ costs }))).toBeUndefined();
});

test('where all slices of the job are known, it was none of its threads', () => {
  const facts = exampleFacts('cpu-wait');
  const { off_cpu, on_cpu } = facts.trace.tables;
  const provenance: Provenance = { kind: 'exact', note: '' };
  const tables = {
    ...facts.trace.tables,
    off_cpu: { ...off_cpu, provenance },
    on_cpu: { ...on_cpu, rows: 1 },
  };
  const capabilities = [{ name: 'perf_switch', available: true, detail: '' }];
  const judged = cpuWait.judge({ ...facts, trace: { ...facts.trace, tables, capabilities } });
  expect(judged?.sentence).toContain('something outside this job, or the kernel');
  expect(judged?.evidence.at(-1)?.basis).toBe('exact');
});
