import { describe, expect, test } from 'vitest';
import { runDifferences } from '../shared/answers/run-differences.ts';
import type { RunEnvironment } from '../shared/answers/run-environment.ts';
import type { RunSummary } from '../shared/answers/run-summary.ts';
import { seriesBars, seriesHead, seriesNotes, seriesRows } from '../shared/words/series-rows.ts';
import { compareSeries } from './compare-series.ts';
import { seriesMarkdown } from './series-markdown.ts';
import { runSummary } from './testing/run-summary.ts';

const run = (name: string, stepMs: number, environment: Partial<RunEnvironment> = {}) => ({
  name,
  summary: runSummary({ stepMs, environment }),
});
const workers = (count: number, more: Partial<RunEnvironment> = {}) => ({
  workers: count,
  command: `train.py --workers ${count}`,
  ...more,
});
const byWorkers = [
  run('a', 100, workers(4)),
  run('b', 160, workers(0)),
  run('c', 70, workers(16)),
  run('d', 70.2, workers(8)),
];

test('runs are in order of the one setting that varied, each beside the first', () => {
  const series = compareSeries(byWorkers);
  expect(series.varied).toBe('DataLoader workers');
  expect(series.runs.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
    ...['b 0', 'a 4', 'd 8', 'c 16'],
  ]);
  expect(series.runs.map(({ comparison }) => comparison?.verdict)).toEqual([
    ...['worse', undefined, 'improved', 'improved'],
  ]);
  expect(series.sentence).toMatch(
    /^A mean step is shortest in c \(DataLoader workers: 16\): 70\.\d+ ms, 30\.0 % shorter \(95 % interval: .*\) beside the first run\. Steps are not measurably longer in d \(DataLoader workers: 8\)\.$/,
  );
});

test('of a run whose setting is not known none is told, least of all that of the first', () => {
  const unknown = run('b', 160, { command: 'train.py --workers 0' });
  const series = compareSeries([run('a', 100, workers(4)), unknown, run('c', 70, workers(8))]);
  expect(series.varied).toBe('DataLoader workers');
  expect(seriesRows(series).map(([name, setting]) => `${name} ${setting}`)).toEqual([
    ...['a 4', 'b –', 'c 8'],
  ]);
});

test('workers that are not counted differ from none, and not from some', () => {
  const some = { someWorkers: true } as const;
  expect(
    runDifferences(runSummary({ environment: { workers: 0 } }).environment, {
      ...runSummary().environment,
      ...some,
    }),
  ).toMatchObject([{ what: 'DataLoader workers', first: '0', second: '1 or more' }]);
  const four = runSummary({ environment: { workers: 4 } }).environment;
  expect(runDifferences(four, { ...runSummary().environment, ...some })).toEqual([]);
});

test('where several settings differ none is what varied, and the runs stay as they were named', () => {
  const series = compareSeries([
    run('a', 100, workers(4, { pinnedShare: 0 })),
    run('b', 90, workers(8, { pinnedShare: 1 })),
    run('c', 95, workers(2, { pinnedShare: 0 })),
  ]);
  expect(series.varied).toBeUndefined();
  expect(series.runs.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const models = [4, 8].map((count) =>
    run(`${count}`, 100 / count, workers(count, { command: `train.py --model m${count}` })),
  );
  expect(compareSeries(models).varied).toBeUndefined();
  const quota = [2, 8, 4].map((cpuQuota) => run(`${cpuQuota}`, 100 / cpuQuota, { cpuQuota }));
  expect(compareSeries(quota).varied).toBe('CPU quota');
});

describe('what must not be believed is said', () => {
  test('what else differs in the run with the shortest step', () => {
    const [a, b, c] = byWorkers;
    const other = {
      ...c,
      name: 'x',
      summary: runSummary({ stepMs: 50, environment: workers(16, { drivers: ['1'] }) }),
    };
    const series = compareSeries([a, b, other] as typeof byWorkers);
    expect(series.sentence).toContain(
      'In that run this differs too: GPU driver, which may be why.',
    );
    expect(seriesNotes(series)).toEqual(['x differs from the first in GPU driver: 550.1 → 1.']);
  });

  test('runs of another batch, or without steps', () => {
    const none: RunSummary = { ...runSummary(), steps: undefined as never, stepsNote: 'None.' };
    const series = compareSeries([
      ...[run('a', 100), run('b', 70), run('c', 10, { batchSize: 1, gpus: ['A100'] })],
      { name: 'd', summary: none },
    ]);
    expect(series.sentence).toContain('shortest in b: 70');
    expect(series.sentence).toContain('2 runs can’t be compared with the first.');
    expect(seriesRows(series).map(([, , beside]) => beside)).toEqual([
      'the first',
      expect.stringMatching(/^faster: 0\.700 \(/),
      'not comparable',
      'cannot tell',
    ]);
    // What only the other machine has is no setting.
    expect(series.varied).toBeUndefined();
    expect(seriesBars(series)[3]).toBe('');
    const alone = compareSeries([
      run('a', 100),
      run('c', 10, { gpus: ['A100'] }),
      { name: 'd', summary: none },
    ]);
    expect(alone.sentence).toMatch(
      /^No run can be compared with the first\. One of them: Not comparable/,
    );
  });

  test('that none is faster, and how many are slower', () => {
    const series = compareSeries([run('a', 100), run('b', 100.2), run('c', 130)]);
    expect(series.sentence).toBe(
      'No run is measurably faster than the first, and 1 of them slower.',
    );
  });
});

test('is a table with a bar for each, its names as text', () => {
  const series = compareSeries([run('<b>a|', 100), run('b', 50), run('c', 200)]);
  expect(seriesHead(series)).toHaveLength(seriesRows(series)[0]?.length ?? 0);
  expect(seriesBars(series).map((bar) => bar.length)).toEqual([10, 5, 20]);
  const text = seriesMarkdown(series);
  expect(text).toMatch(/^## 3 runs compared\n\nA mean step is shortest in b/);
  expect(text).toContain('| \\<b\\>a\\| | 100');
  expect(text).toContain('the first');
});

test('of many that are alike some are named, and a long name is cut', () => {
  const name = `${'x'.repeat(150)}.json`;
  const many = Array.from({ length: 9 }, (_, at) => run(`same ${at}`, 70, workers(8)));
  const { sentence } = compareSeries([
    run('a', 100, workers(4)),
    run(name, 69.9, workers(16)),
    ...many,
  ]);
  expect(sentence).toMatch(/ shortest in x+…x+\.json \(/);
  expect(sentence).toMatch(/ in same 0 .*, same 3 \(DataLoader workers: 8\) and 5 others\./);
});
