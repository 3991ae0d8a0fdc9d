import { expect, test } from 'vitest';
import { warmUpSteps } from '../../shared/answers/run-summary.ts';
import { gpuTrace, MS } from '../testing/gpu-job.ts';
import { starved } from '../testing/gpu-jobs.ts';
import { loaderTrace } from '../testing/loader-trace.ts';
import { runFlame } from './run-flame.ts';

test('the stacks that are compared are those of the compared steps, without the warm-up', () => {
  const { tree, steps = 0, lengthNs } = runFlame(gpuTrace([starved()]), 'gpu-time');
  expect(steps).toBe(30 - warmUpSteps(30));
  const kernel = tree.frames.findIndex(({ symbol }) => symbol === 'gemm');
  const node = tree.frame.indexOf(kernel);
  // Ten kernels of 500 µs a step.
  expect(tree.total[node] / steps).toBe(5 * MS);
  expect(lengthNs / steps).toBeGreaterThan(17 * MS);
  expect(lengthNs / steps).toBeLessThan(18 * MS);
});

test('of a run without steps it is the whole recording', () => {
  const trace = loaderTrace({ batches: 2, batchNs: 1 * MS });
  const { steps, lengthNs } = runFlame(trace, 'off-cpu-time');
  expect([steps, lengthNs]).toEqual([undefined, trace.meta.lengthNs]);
});
