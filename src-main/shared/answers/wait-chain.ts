import type { EventRef } from '../model/event-ref.ts';
import type { ThreadState } from '../model/thread-state.ts';
import type { Basis, CannotTell } from './basis.ts';
import type { ThreadLabel } from './jobs.ts';

/**
 * How far a segment is known. `proven`: its events are all in the trace. `bound`: at least or at most
 * this, its note says which. `partly`: of several that are told as one some are known. `unknown`: nothing
 * is known.
 */
export type Proof = 'proven' | 'bound' | 'partly' | 'unknown';

/** One stretch of a wait chain: what the thread that mattered then was doing. */
export interface ChainSegment {
  readonly startNs: number;
  readonly endNs: number;
  readonly thread: ThreadLabel;
  readonly state: ThreadState;
  /** `waited for a CPU: DataLoader worker 2 ran`, `read /data/img.bin`: one clause. */
  readonly reason: string;
  readonly proof: Proof;
  /** How many short stretches next to each other it joins; absent = it is one. */
  readonly count?: number;
  readonly cpu?: number;
  /** The event that shows it: the off-CPU row, the CUDA call, the block request. */
  readonly event?: EventRef;
  /** Who ran on that CPU instead, most first. */
  readonly ran?: readonly { readonly thread: ThreadLabel; readonly ns: number }[];
}

/** All that one thread did for one reason in a wait chain. */
export interface ChainSum extends Pick<ChainSegment, 'thread' | 'state' | 'reason' | 'proof'> {
  readonly ns: number;
  /** How many stretches of the chain it is the sum of. */
  readonly count: number;
  readonly longestNs: number;
  /** Of waits for a CPU: who ran instead, and one of the waits during which it did. */
  readonly ran?: readonly RanInstead[];
}

/** Who had the CPUs that others waited for. */
export interface RanInstead {
  readonly thread: ThreadLabel;
  readonly ns: number;
  readonly event?: EventRef;
}

/** Adds `one` to those that ran: the first wait during which it did stays. */
export function addRan(known: Map<number, RanInstead>, one: RanInstead): void {
  const { thread } = one.thread;
  const before = known.get(thread);
  known.set(thread, before === undefined ? one : { ...before, ns: before.ns + one.ns });
}

/** Above this many segments a chain is told by its sums first: nobody reads hundreds of lines. */
export const MAX_READ_SEGMENTS = 12;

/**
 * What a worker spent the making of one batch on. Parts are disjoint and sum to the cycle. `starting`
 * is the start of a worker process up to its first wait for a batch to be asked for, and its end.
 */
export const cycleCauses = [
  'running',
  'runnable-own',
  'runnable-other',
  'throttled',
  'stopped',
  'idle-cpu',
  'disk',
  'sleeping',
  'lock',
  'shared-lock',
  'starting',
  'sending',
  'waiting-for-index',
  'unknown',
] as const;
export type CycleCause = (typeof cycleCauses)[number];

/** Index received → batch sent, of the batch the chain waited for. */
export interface ProductionCycle {
  readonly worker: ThreadLabel;
  readonly startNs: number;
  readonly endNs: number;
  readonly parts: readonly {
    readonly cause: CycleCause;
    readonly ns: number;
    readonly event?: EventRef;
  }[];
  readonly basis: Basis;
  readonly note: string;
}

/** From an interval of waiting back to what was actually going on. Segments tile it, in order of time. */
export interface WaitChain {
  readonly startNs: number;
  readonly endNs: number;
  readonly segments: readonly ChainSegment[];
  /** The same time summed by who and why, most first; its ns sum to the interval. */
  readonly sums: readonly ChainSum[];
  /** Where the chain reaches a DataLoader worker: the whole cycle of that batch, not its clipped tail. */
  readonly cycle?: ProductionCycle;
  /** One sentence: where the story ends, and why there. */
  readonly ending: string;
  readonly cannotTell: readonly CannotTell[];
}
