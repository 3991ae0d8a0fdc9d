import { expect, test } from 'vitest';
import { bestConfiguration, parseBenchmarkResult } from './benchmark-result.ts';

const figures = { medianPerSecond: 10, minPerSecond: 9, maxPerSecond: 11, repeats: 3, batches: 4 };
const setting = { workers: 2, pinMemory: false, persistentWorkers: true };
const result = {
  format: 'stalltrace-benchmark',
  version: 1,
  dataset: 'train:make',
  batchSize: 32,
  cpus: 2,
  torch: '1.13',
  synthetic: figures,
  real: [
    { ...setting, ...figures },
    { ...setting, workers: 4, ...figures, medianPerSecond: 20 },
  ],
  failed: [],
  leftOut: 0,
};

test('reads what the script writes, and finds the best', () => {
  const parsed = parseBenchmarkResult(JSON.stringify(result));
  expect(parsed).toMatchObject({ ok: true, value: { batchSize: 32 } });
  if (parsed.ok) expect(bestConfiguration(parsed.value)?.workers).toBe(4);
});

test.each([
  ['no JSON', 'throughput: 12'],
  ['another format', JSON.stringify({ ...result, format: 'other' })],
  ['a later version', JSON.stringify({ ...result, version: 2 })],
  [
    'a rate that is none',
    JSON.stringify({ ...result, synthetic: { ...figures, minPerSecond: -1 } }),
  ],
  ['settings without end', JSON.stringify({ ...result, real: Array(500).fill(result.real[0]) })],
  ['a text without end', ' '.repeat(2_000_000)],
])('refuses %s', (_, text) => {
  expect(parseBenchmarkResult(text)).toMatchObject({
    ok: false,
    error: { code: 'not-a-benchmark' },
  });
});
