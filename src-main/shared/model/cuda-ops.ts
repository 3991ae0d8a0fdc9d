/** What a call of CUDA’s or HIP’s API does, worked out from its name in any source's spelling. */
export type CudaOpKind =
  | 'copy'
  | 'fill'
  | 'sync'
  | 'launch'
  | 'allocate'
  | 'free'
  | 'graph'
  | 'other';

const rules: readonly (readonly [RegExp, CudaOpKind])[] = [
  [/^(cuda|cu|hip)Graph|^cuda(Stream)?(BeginCapture|EndCapture)|^graph/i, 'graph'],
  [/^(cuda|cu|hip)Memcpy/, 'copy'],
  [/^(cuda|cu|hip)Memset/, 'fill'],
  // Not cudaStreamWaitEvent: it makes a stream wait, not the thread that calls it.
  [/Synchronize|Sync(_|$)/, 'sync'],
  [/^(cuda|cu)Launch|^hip(Ext)?(Module)?Launch/, 'launch'],
  [/^(cuda|cu|hip)(Mem)?(Malloc|Alloc|HostAlloc|HostMalloc|HostRegister)/, 'allocate'],
  [/^(cuda|cu|hip)(Mem)?(Free|HostFree|HostUnregister)/, 'free'],
];

/** Whether the call named `name` launches kernels, one or a graph of them. */
export function isLaunchOp(name: string): boolean {
  const kind = cudaOpKind(name);
  return kind === 'launch' || kind === 'graph';
}

/** The kind of the call named `name` (`cudaMemcpyAsync`, `cuMemAlloc_v2`, Ingero's `cudaStreamSync`). */
export function cudaOpKind(name: string): CudaOpKind {
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}
