import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { hasSummedCalls } from './summed-calls.ts';

test.each([
  ['of calls are found whatever is said of their table', 'CUDA', 'cudaLaunchKernel', 31, true],
  ['of calls to the driver count', 'DRIVER', 'cuMemcpyAsync', 1, true],
  ['of other things are none of calls', 'HOST', 'sched_switch', 31, false],
  ['that count nothing are none', 'CUDA', 'cudaLaunchKernel', 0, false],
])('sums %s', (_, source, name, count, expected) => {
  const row = { startNs: 0, durationNs: 6e10, op: 0, source: 0, thread: -1, count };
  const trace = buildTrace({ names: [[source, name]], rows: { aggregate: [row] } });
  expect(hasSummedCalls(trace)).toBe(expected);
});
