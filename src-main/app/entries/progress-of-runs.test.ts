import { expect, test } from 'vitest';
import type { Progress } from '../../shared/rpc/rpc.ts';
import { progressOfRuns } from './progress-of-runs.ts';

test('runs that are read at once are told of each, and together by one bar', () => {
  const told: Progress[] = [];
  const partOf = progressOfRuns(2, (progress) => told.push(progress));
  const [first, second] = [partOf(0), partOf(1)];
  second.progress({ text: 'Reading calls', fraction: 0.5 });
  first.progress({ text: 'Reading calls', fraction: 0.25 });
  first.progress({ text: 'Working out its steps' });
  first.end();
  second.end();
  expect(told).toEqual([
    { text: 'Run 2 of 2: reading calls', fraction: 0.25 },
    {
      text: 'Run 1 of 2: reading calls (25.0 %) · Run 2 of 2: reading calls (50.0 %)',
      fraction: 0.375,
    },
    { text: 'Run 1 of 2: working out its steps · Run 2 of 2: reading calls (50.0 %)' },
    { text: 'Run 2 of 2: reading calls', fraction: 0.75 },
  ]);
});
