import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { gpuWorkSummary } from './gpu-work-summary.ts';

test('counts what the GPU did by kind, and reads the names of kernels', () => {
  const mangled = '_ZN2at6native5copy_ERNS_6TensorERKS1_b';
  const trace = buildTrace({
    names: [
      ['CUDA', mangled],
      ['CUDA', 'Memcpy HtoD'],
      ['CUDA', `${mangled}x`],
    ],
    rows: {
      gpu_work: [
        { startNs: 0, durationNs: 1, op: 0, kind: 1 },
        { startNs: 1, durationNs: 1, op: 1, kind: 2, direction: 1 },
        // A source that says no kind, but which way.
        { startNs: 2, durationNs: 1, op: 1, kind: 0, direction: 2 },
        { startNs: 3, durationNs: 1, op: 0xffff, kind: 9 },
      ],
    },
  });
  expect(gpuWorkSummary(trace)).toEqual({
    counts: { unknown: 1, kernel: 1, copy: 2, fill: 0, graph: 0 },
    readable: { 0: 'at::native::copy_(at::Tensor&, at::Tensor const&, bool)' },
  });
});
