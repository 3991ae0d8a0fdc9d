import type { CudaOpKind } from '../../shared/model/cuda-ops.ts';

/** What a thread on a CPU inside such a call may be doing; empty where that is not settled by the call. */
export function runningAs(kind: CudaOpKind): string {
  if (kind === 'sync') return 'waiting for the GPU';
  return kind === 'copy' ? 'copying or waiting for the GPU' : '';
}
