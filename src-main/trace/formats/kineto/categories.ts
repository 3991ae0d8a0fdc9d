/** What becomes of an event, by its category. */
export type Becomes =
  | 'runtime-call'
  | 'driver-call'
  | 'kernel'
  | 'copy'
  | 'fill'
  /** A range on no thread: what stands on the rows of a GPU only repeats what the host's say. */
  | 'loose-range'
  | 'range';

/** Names of 2021 (`Operator`, `Runtime` …) stand beside those of later versions; HIP has the runtime's. */
const known: Readonly<Record<string, Becomes>> = {
  Runtime: 'runtime-call',
  cuda_runtime: 'runtime-call',
  cuda_driver: 'driver-call',
  Kernel: 'kernel',
  kernel: 'kernel',
  Memcpy: 'copy',
  gpu_memcpy: 'copy',
  Memset: 'fill',
  gpu_memset: 'fill',
  gpu_user_annotation: 'loose-range',
  cuda_sync: 'loose-range',
  overhead: 'loose-range',
  Trace: 'loose-range',
};

/** Operators, annotations, Python's functions, and whatever else a later version adds: ranges. */
export function becomesOf(category: string): Becomes {
  return Object.hasOwn(known, category) ? known[category] : 'range';
}
