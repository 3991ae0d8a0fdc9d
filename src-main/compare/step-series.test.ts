import { expect, test } from 'vitest';
import { runBegins, stepSeries } from './step-series.ts';
import { runSummary } from './testing/run-summary.ts';

const run = runSummary({ steps: 20 });
const untold = { ...run, ...(run.steps && { steps: { ...run.steps, inputKnown: false } }) };
const { steps: _, ...without } = run;

test('the steps of both runs, told by the same parts', () => {
  const told = stepSeries(run, runSummary({ steps: 30, stepMs: 50 }));
  expect([told?.first.startsNs.length, told?.second.startsNs.length]).toEqual([20, 30]);
  expect(Object.keys(told?.first.parts ?? {})).toContain('input');
});

test('where one cannot tell input, neither does the other: their sum is told', () => {
  for (const pair of [stepSeries(run, untold), stepSeries(untold, run)]) {
    expect(pair?.labels.other).toBe('Other host time, including waiting for input');
    for (const series of [pair?.first, pair?.second]) {
      expect(Object.keys(series?.parts ?? {})).not.toContain('input');
      const sum = (at: number) =>
        Object.values(series?.parts ?? {}).reduce((all, part) => all + (part?.[at] ?? 0), 0);
      expect(sum(3)).toBeCloseTo(series?.durationsNs[3] ?? 0, -1);
    }
  }
});

test('a run without steps has none to show, and is in line by its first CUDA call', () => {
  const called = { ...without, firstCallNs: 70, rank: 'pid 4' };
  expect(runBegins(called, without)).toEqual({
    first: { firstCallNs: 70, rank: 'pid 4' },
    second: {},
  });
  expect(stepSeries(run, without)).toBeUndefined();
  expect(stepSeries(without, run)).toBeUndefined();
});
