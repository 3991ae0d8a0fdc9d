/** What a CUDA API call does, worked out from its name in any source's spelling. */
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
  [/^(cuda|cu)Graph|^cuda(Stream)?(BeginCapture|EndCapture)|^graph/i, 'graph'],
  [/^(cuda|cu)Memcpy/, 'copy'],
  [/^(cuda|cu)Memset/, 'fill'],
  // Not cudaStreamWaitEvent: it makes a stream wait, not the thread that calls it.
  [/Synchronize|Sync(_|$)/, 'sync'],
  [/^(cuda|cu)Launch/, 'launch'],
  [/^(cuda|cu)(Mem)?(Malloc|Alloc|HostAlloc|HostRegister)/, 'allocate'],
  [/^(cuda|cu)(Mem)?(Free|HostUnregister)/, 'free'],
];

/** The kind of the call named `name` (`cudaMemcpyAsync`, `cuMemAlloc_v2`, Ingero's `cudaStreamSync`). */
export function cudaOpKind(name: string): CudaOpKind {
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}
