import { expect, test } from 'vitest';
import { jobsOf } from '../../jobs/job-index.ts';
import { type LoaderPlan, loaderTrace } from '../../testing/loader-trace.ts';
import { batchKinds } from './batch-kinds.ts';
import type { WorkerFacts } from './facts.ts';

const MS = 1e6;

function kindsOf(plan: LoaderPlan) {
  const trace = loaderTrace(plan);
  const [rank] = jobsOf(trace).flatMap(({ ranks }) => ranks);
  if (rank === undefined) throw new Error('no rank');
  const workers = [{ process: 1 } as WorkerFacts];
  return batchKinds({ trace, rank, workers });
}

test('few batches that take most of the time of making them are told apart', () => {
  const kinds = kindsOf({ batches: 200, batchNs: MS, odd: { every: 10, batchNs: 50 * MS } });
  expect([kinds?.short.count, kinds?.long.count]).toEqual([179, 20]);
  expect(kinds?.short.medianNs).toBeCloseTo(MS, -5);
  expect(kinds?.long.medianNs).toBeCloseTo(50 * MS, -5);
});

test.each<[string, LoaderPlan]>([
  ['all take as long', { batches: 200, batchNs: MS }],
  ['a few take little more', { batches: 200, batchNs: MS, odd: { every: 10, batchNs: 1.5 * MS } }],
  [
    'the long ones take less in all',
    { batches: 200, batchNs: MS, odd: { every: 50, batchNs: 9 * MS } },
  ],
  [
    'there are hardly any long ones',
    { batches: 200, batchNs: MS, odd: { every: 100, batchNs: 900 * MS } },
  ],
  ['most are long', { batches: 200, batchNs: 50 * MS, odd: { every: 10, batchNs: MS } }],
  ['no batch is known', { batches: 0, batchNs: MS }],
])('and else are not: %s', (_, plan) => {
  expect(kindsOf(plan)).toBeUndefined();
});
