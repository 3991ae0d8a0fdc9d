import type { Direction } from '../model/codes.ts';

/** What happened of an operation beside what is stored of it, all directions and sizes together. */
interface CountedOperation {
  readonly stored: number;
  readonly counted: number;
  /** Time of the stored ones, and of all that happened: by the sums, and what they do not cover. */
  readonly storedNs?: number;
  readonly totalNs?: number;
  /** There were more: launches that were probed in windows only. */
  readonly isSeenInWindows?: true;
  /** It may have been more: which of the stored events the sums cover is not known. */
  readonly isAtLeast?: boolean;
  /** The longest of all. */
  readonly maxNs?: number;
  readonly storedBytes?: number;
  readonly bytes?: number;
}

/** What the GPU's own records say of copies. */
export interface RecordedCopies {
  readonly count: number;
  readonly bytesPerNs: number;
  /** Of them, those of host memory of either kind; the rest has no end in host memory, or of another kind. */
  readonly pageable: number;
  readonly pinned: number;
}

/** Statistics of one operation. Percentiles are nearest rank over the raw rows, all in ns. */
export interface OperationStats {
  /** The source's own name of the layer: `CUDA`, `DRIVER`, `HOST`. */
  readonly source: string;
  readonly name: string;
  /** Where there is little room, of a kernel: the name without template arguments and parameters. */
  readonly shortName?: string;
  /** As it is in the file, where that is a mangled C++ or Rust name, as those of kernels are. */
  readonly recordedName?: string;
  /** What the host is called, in a trace of several: each counts for itself. */
  readonly host?: string;
  /** `null` where the operation is no copy. */
  readonly direction: Direction | null;
  /** Index into sizeBucketNames, where asked for and known. */
  readonly sizeBucket?: number;
  readonly count: number;
  /**
   * Set where the recorder's own sums say that more events of this source, name and host happened than
   * are stored: both of the whole operation, all directions and sizes together. `counted` is all that
   * happened, also what is stored without being in the sums. The statistics of this row are then
   * those of a selection.
   */
  readonly counted?: CountedOperation;
  /**
   * Only the recorder's sums are in the file: `count` is 0, total, maximum and bytes are the sums', and
   * what they do not tell is -1.
   */
  readonly onlySums?: true;
  /** Sum of the known sizes, 0 where the operation has none. */
  readonly bytes: number;
  readonly totalNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
  /** Of copies that the GPU recorded: those of this row, or that the calls of this row submitted. */
  readonly recorded?: RecordedCopies;
  /** Row of cuda_call that took maxNs, where the operation is a CUDA call. */
  readonly slowestCall?: number;
}

/** Whether `ns`, one of the figures of `stats`, says something: moments have no duration, sums alone no percentiles. */
export function isDurationKnown({ maxNs }: Pick<OperationStats, 'maxNs'>, ns: number): boolean {
  return ns > 0 || (ns === 0 && maxNs > 0);
}
