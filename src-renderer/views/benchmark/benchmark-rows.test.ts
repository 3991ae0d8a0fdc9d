import { describe, expect, test } from 'vitest';
import type { BenchmarkResult } from '../../../src-main/shared/answers/benchmark-result.ts';
import { layoutBenchmark } from './benchmark-layout.ts';
import { benchmarkRows, formatPerSecond, formatRatio } from './benchmark-rows.ts';
import { benchmarkSentences } from './benchmark-sentences.ts';

const spread = (low: number, middle: number, high: number) => ({
  minPerSecond: low,
  medianPerSecond: middle,
  maxPerSecond: high,
  repeats: 3,
  batches: 8,
});
const slow = { workers: 1, pinMemory: false, persistentWorkers: false, ...spread(9, 10, 11) };
const fast = { workers: 2, pinMemory: true, persistentWorkers: true, ...spread(19, 20, 21) };
const result: BenchmarkResult = {
  format: 'stalltrace-benchmark',
  version: 1,
  dataset: 'train:make',
  batchSize: 16,
  cpus: 2,
  torch: '2.6',
  device: 'a GPU',
  synthetic: spread(38, 40, 42),
  real: [slow, fast],
  failed: [],
  leftOut: 0,
};
const said = (changes: Partial<BenchmarkResult>) =>
  benchmarkSentences({ ...result, ...changes }).join(' ');

describe('rows', () => {
  test('compare with the current setting where it was measured, else with the best', () => {
    const ratios = (some: BenchmarkResult) => benchmarkRows(some).map(({ ratio }) => ratio);
    expect(ratios({ ...result, current: { workers: 1 } })).toEqual([4, 1, 2]);
    expect(ratios(result)).toEqual([2, 0.5, 1]);
    expect(ratios({ ...result, real: [{ ...slow, ...spread(0, 0, 0) }] })).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('name settings, and mark the best and the current one', () => {
    const rows = benchmarkRows({ ...result, current: { workers: 1 } });
    expect(rows.map(({ label }) => label)).toEqual([
      'synthetic: one batch again and again',
      '1 worker',
      '2 workers, pinned, persistent',
    ]);
    expect(rows.map(({ isBest }) => isBest)).toEqual([false, false, true]);
    const marks = rows.map(({ currentMark }) => currentMark);
    expect(marks).toEqual([undefined, 'may be current', undefined]);
    const known = { workers: 1, pinMemory: false, persistentWorkers: false };
    expect(benchmarkRows({ ...result, current: known })[1]?.currentMark).toBe('current');
  });

  test('figures keep three digits', () => {
    expect([0.021_34, 12.34, 149.3, 4_510_059.5].map(formatPerSecond)).toEqual([
      '0.0213',
      '12.3',
      '149',
      '4,510,060',
    ]);
    expect([0.5, 30_200.52].map(formatRatio)).toEqual(['0.50×', '30,201×']);
  });
});

describe('sentences', () => {
  test('say how much is gained, and how sure that is', () => {
    const { pinMemory, persistentWorkers } = slow;
    const known = { workers: 1, pinMemory, persistentWorkers };
    expect(said({ current: known })).toContain('That is 2.00× the current setting (1 worker).');
    expect(said({ current: { workers: 1 } })).toContain('only the number of workers is known');
    expect(said({ current: { workers: 8 } })).toContain('(8 workers) was not measured');
    expect(said({ current: { workers: 2 } })).toContain('It has the current 2 workers');
    expect(
      said({ current: { ...known, workers: 2, pinMemory: true, persistentWorkers: true } }),
    ).toContain('That is the current setting');
    expect(said({})).toContain('The setting of the job is not known');
    const close = { ...slow, ...spread(9, 10, 19.5) };
    expect(said({ current: { workers: 1 }, real: [close, fast] })).toContain('may be chance');
  });

  test('say whether loading holds the loop back', () => {
    expect(said({})).toContain('The loop without loading reaches 2.00× that rate');
    expect(said({ synthetic: spread(18, 20, 22) })).toContain('loading does not hold it back');
    expect(said({ synthetic: spread(1, 2, 3) })).toContain('loading does not hold it back');
  });

  test('say what was not measured', () => {
    expect(said({ real: [], leftOut: 2 })).toMatch(/No setting .* 2 settings left out/);
    const { device: _, ...withoutGpu } = result;
    expect(benchmarkSentences(withoutGpu).join(' ')).toContain('CUDA could not be used');
  });
});

describe('layout', () => {
  test('bars are as long as their figures, and do not leave the axis', () => {
    const { bars, ticks, height } = layoutBenchmark(benchmarkRows(result), 420);
    expect(bars.map(({ isCut }) => isCut)).toEqual([true, false, false]);
    const [synthetic, first, second] = bars;
    expect(synthetic?.widthPx).toBe(420);
    expect(second?.widthPx).toBeCloseTo(2 * (first?.widthPx ?? 0));
    expect(Math.max(...bars.flatMap(({ spread: [, to] }) => to))).toBeLessThanOrEqual(420);
    expect(bars.every(({ y, height: bar }) => y >= 0 && y + bar <= height)).toBe(true);
    expect(ticks.length).toBeGreaterThan(1);
  });

  test('a loop without loading that is near is not cut', () => {
    const near = { ...result, synthetic: spread(20, 22, 24) };
    expect(layoutBenchmark(benchmarkRows(near), 420).bars.some(({ isCut }) => isCut)).toBe(false);
  });

  test('no figures, no width', () => {
    const none = { ...result, synthetic: spread(0, 0, 0), real: [] };
    expect(layoutBenchmark(benchmarkRows(none), 420).bars).toMatchObject([{ widthPx: 0 }]);
  });
});
