import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { deliveriesTo } from './deliveries.ts';
import { isEndlessLock } from './wait-calls.ts';
import { wakerOf } from './wakes.ts';

/**
 * The thread of a worker that writes its batches to the result queue: Python's QueueFeederThread
 * (multiprocessing/queues.py). It waits for a lock until the worker's main thread puts a batch.
 */
export interface Feeder {
  readonly thread: number;
  /** Rows of off_cpu in which it had nothing to send, by start; each ends with the next batch. */
  readonly idleRows: readonly number[];
  /** Whether it was seen to wake the training process. */
  readonly delivers: boolean;
}

/** The feeder among the threads of `process`; undefined where none behaves like one. */
export function findFeeder(
  trace: Trace,
  rank: Rank | undefined,
  process: number,
  mainThread: number,
): Feeder | undefined {
  const delivered = rank === undefined ? new Map<number, number>() : countDeliveries(trace, rank);
  let best: Feeder | undefined;
  for (const thread of jobIndex(trace).threadsOf(process)) {
    if (thread === mainThread) continue;
    const idleRows = idleRowsOf(trace, thread, mainThread);
    const delivers = (delivered.get(thread) ?? 0) > 0;
    if (idleRows.length === 0 && !delivers) continue;
    const found = { thread, idleRows, delivers };
    if (best === undefined || isLikelier(found, best)) best = found;
  }
  return best;
}

/** Threads of a pool in the dataset wait for the main thread too, but send nothing. */
function isLikelier(a: Feeder, b: Feeder): boolean {
  if (a.delivers !== b.delivers) return a.delivers;
  return a.idleRows.length > b.idleRows.length;
}

function idleRowsOf(trace: Trace, thread: number, mainThread: number): number[] {
  const idle: number[] = [];
  for (const row of traceIndex(trace).switchesOf(thread).rows)
    if (isEndlessLock(trace, row) && wakerOf(trace, row) === mainThread) idle.push(row);
  return idle;
}

function countDeliveries(trace: Trace, rank: Rank): Map<number, number> {
  const { wakers, isPoll } = deliveriesTo(trace, rank);
  const counts = new Map<number, number>();
  wakers.forEach((waker, at) => {
    if (isPoll[at] === 1) counts.set(waker, (counts.get(waker) ?? 0) + 1);
  });
  return counts;
}
