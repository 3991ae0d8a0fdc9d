import type { Role } from '../model/trace.ts';

/** Job → rank → process: what trained, with whose help. Indices are into processes and threads. */

/** The workers one DataLoader had at one time: another epoch without persistent workers has others. */
export interface WorkerGeneration {
  /** Processes, in order of birth: worker 0 first, as PyTorch numbers them. */
  readonly workers: readonly number[];
  readonly startNs?: number;
  /** When the last of them exited, where that is recorded. */
  readonly endNs?: number;
  /** Which of the rank's loaders: generations that follow each other are of one loader. */
  readonly loader: number;
}

/** One training process and everything it started. */
export interface Rank {
  readonly process: number;
  /** `RANK`, where the environment or the launcher says it. */
  readonly rank?: number;
  /** `rank 1 · pid 4242`, or `pid 4242` in a job of one process. */
  readonly label: string;
  /** The thread that drives the training: its calls are the steps. -1 = not known. */
  readonly mainThread: number;
  /** Threads that make CUDA calls, the main one first: autograd's are among them. */
  readonly cudaThreads: readonly number[];
  readonly pinThreads: readonly number[];
  readonly generations: readonly WorkerGeneration[];
  /** Every process of the rank's tree, itself first. */
  readonly processes: readonly number[];
  /** Set where the rank's GPU is known: index into gpus. */
  readonly gpu?: number;
}

/** Ranks that were started together; a job without a launcher has one rank. */
export interface Job {
  readonly label: string;
  readonly ranks: readonly Rank[];
  /** Processes of the job that belong to no rank: the launcher. */
  readonly others: readonly number[];
}

/** How to speak of a thread. */
export interface ThreadLabel {
  readonly thread: number;
  readonly process: number;
  readonly pid: number;
  /** What its host is called, in a trace of several. */
  readonly host?: string;
  readonly tid: number;
  readonly role: Role;
  /** `DataLoader worker 3`, `Training process`, `kworker/0:1`, `dockerd`. */
  readonly name: string;
  /** `of pid 4242`, `started by sshd (pid 311)`, or nothing. */
  readonly lineage: string;
  /**
   * Its place beside the rank that is being explained: `self` is a thread of the training process,
   * `own-rank` of its workers and other helpers, `own-job` of another rank or the launcher,
   * `recorder` of what wrote the trace.
   */
  readonly relation: 'self' | 'own-rank' | 'own-job' | 'other' | 'kernel' | 'recorder';
}
