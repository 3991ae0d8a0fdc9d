import { expect, test } from 'vitest';
import {
  bestConfiguration,
  claimsBenchmark,
  currentConfiguration,
  parseBenchmarkResult,
} from './benchmark-result.ts';

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
    { ...setting, workers: 4, ...figures, medianPerSecond: 20, maxPerSecond: 21 },
  ],
  failed: [],
  leftOut: 0,
};

test('reads what the script writes, and finds the best', () => {
  const parsed = parseBenchmarkResult(JSON.stringify(result), 'a.json');
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
  [
    'a middle above the highest',
    JSON.stringify({ ...result, synthetic: { ...figures, medianPerSecond: 12 } }),
  ],
  ['a rate that Python writes as NaN', JSON.stringify(result).replace(':10,', ':NaN,')],
  ['settings without end', JSON.stringify({ ...result, real: Array(500).fill(result.real[0]) })],
  ['a text without end', ' '.repeat(2_000_000)],
])('refuses %s', (_, text) => {
  expect(parseBenchmarkResult(text, 'a.json')).toMatchObject({
    ok: false,
    error: { code: 'beside-damaged' },
  });
});

test('the current setting is the one measured, or the fastest that may be it', () => {
  const parsed = parseBenchmarkResult(
    JSON.stringify({ ...result, current: { workers: 2 } }),
    'a.json',
  );
  if (!parsed.ok) throw new Error(parsed.error.detail);
  const { value } = parsed;
  const slower = { ...setting, pinMemory: true, ...figures, medianPerSecond: 9 };
  const real = [...value.real, slower];
  expect(currentConfiguration({ ...value, real })?.pinMemory).toBe(false);
  const known = { workers: 2, pinMemory: true, persistentWorkers: true };
  expect(currentConfiguration({ ...value, real, current: known })).toEqual(slower);
  expect(currentConfiguration({ ...value, current: { workers: 3 } })).toBeUndefined();
  expect(currentConfiguration({ ...value, current: undefined })).toBeUndefined();
});

test('texts are made harmless to read', () => {
  const parsed = parseBenchmarkResult(
    JSON.stringify({ ...result, dataset: 'a\u202eb\u0000c' }),
    'a.json',
  );
  expect(parsed).toMatchObject({ ok: true });
  if (parsed.ok) expect(parsed.value.dataset).not.toMatch(/[\u202e\0]/);
});

test('knows what claims to be a result, in whatever order', () => {
  expect(claimsBenchmark(JSON.stringify(result))).toBe(true);
  expect(claimsBenchmark(' {"real": [], "format" : "stalltrace-benchmark"')).toBe(true);
  expect(claimsBenchmark('{"format": "other"}')).toBe(false);
  expect(claimsBenchmark('"format": "stalltrace-benchmark"')).toBe(false);
});
