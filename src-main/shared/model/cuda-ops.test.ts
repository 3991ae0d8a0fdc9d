import { expect, test } from 'vitest';
import { cudaOpKind } from './cuda-ops.ts';

test.each([
  ['cudaMemcpyAsync', 'copy'],
  ['cuMemcpyHtoDAsync_v2', 'copy'],
  ['cudaMemsetAsync', 'fill'],
  ['cudaStreamSync', 'sync'],
  ['cudaDeviceSynchronize', 'sync'],
  ['cuCtxSynchronize', 'sync'],
  ['cudaStreamWaitEvent', 'other'],
  ['cudaLaunchKernelExC', 'launch'],
  ['cudaMallocManaged', 'allocate'],
  ['cuMemAlloc_v2', 'allocate'],
  ['cudaHostAlloc', 'allocate'],
  ['cudaFree', 'free'],
  ['cudaFreeHost', 'free'],
  ['cudaGraphLaunch', 'graph'],
  ['cudaGetDevice', 'other'],
  ['', 'other'],
])('%s is of kind %s', (name, kind) => expect(cudaOpKind(name)).toBe(kind));
