import type { Basis } from '../../shared/explanation.ts';
import type { Rank } from '../../shared/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { firstAbove } from '../thread-switches.ts';
import { lifeOf } from '../threads/visit-states.ts';
import { traceIndex } from '../trace-index.ts';
import { deliveriesTo } from './deliveries.ts';
import { type Feeder, findFeeder } from './feeder.ts';
import { isIndexWait } from './index-waits.ts';
import { wokenNsOf } from './wakes.ts';

/** The batches one DataLoader worker made, in order of time. Row k of every column is batch k. */
export interface ProductionCycles {
  readonly process: number;
  /** The thread that makes the batches; -1 = not known. */
  readonly mainThread: number;
  /** -1 = not known. */
  readonly feeder: number;
  readonly count: number;
  /** Since when the thread had nothing else to do than this batch: the one before was put, or the fork. */
  readonly freeNs: Float64Array;
  /** The batch was asked for: its index came, or lay ready when the one before was put. The first begins with the fork. */
  readonly startsNs: Float64Array;
  /** The finished batch was handed to the feeder thread. */
  readonly putsNs: Float64Array;
  /** It was written to the result queue, as far as seen; the next may be under way by then. */
  readonly endsNs: Float64Array;
  readonly basis: Basis;
  readonly note: string;
}

const known = new WeakMap<Trace, Map<number, ProductionCycles>>();

/** The batches of a worker process, as its switches show them. Worked out once and kept. */
export function productionCycles(
  trace: Trace,
  rank: Rank | undefined,
  workerProcess: number,
): ProductionCycles {
  const byProcess = known.get(trace) ?? new Map<number, ProductionCycles>();
  known.set(trace, byProcess);
  const found = byProcess.get(workerProcess) ?? findCycles(trace, rank, workerProcess);
  byProcess.set(workerProcess, found);
  return found;
}

function findCycles(trace: Trace, rank: Rank | undefined, process: number): ProductionCycles {
  const mainThread = firstThreadOf(trace, process);
  const none = (note: string) => noCycles(process, mainThread, note);
  if (mainThread < 0 || traceIndex(trace).switchesOf(mainThread).rows.length === 0)
    return none('No switch of this worker is stored.');
  const feeder = findFeeder(trace, rank, process, mainThread);
  if (feeder === undefined)
    return none('No thread of this worker was seen to send batches, so they cannot be told apart.');
  const putsNs = putsOf(trace, feeder, mainThread);
  const [bornNs] = lifeOf(trace, mainThread);
  // Attached to a worker that was at it already: when its first batch began is not in the trace.
  const isWhole = Number.isFinite(bornNs);
  const firstFreeNs = isWhole ? bornNs : putsNs.shift();
  if (firstFreeNs === undefined || putsNs.length === 0)
    return none('No whole batch of this worker is in the trace.');
  const freeNs = [firstFreeNs, ...putsNs.slice(0, -1)];
  const indexNs = indexTimes(trace, rank, mainThread, freeNs, putsNs);
  if (isWhole) indexNs[0] = firstFreeNs;
  return {
    ...{ process, mainThread, feeder: feeder.thread, count: putsNs.length },
    freeNs: Float64Array.from(freeNs),
    startsNs: indexNs,
    putsNs: Float64Array.from(putsNs),
    endsNs: sentTimes(trace, rank, feeder, putsNs),
    basis: feeder.delivers ? 'exact' : 'inferred',
    note: feeder.delivers
      ? 'A batch ends when the worker hands it to the thread that writes to the training process.'
      : 'A batch ends when the worker wakes the thread that seems to send for it; that thread was not seen to wake the training process.',
  };
}

function noCycles(process: number, mainThread: number, note: string): ProductionCycles {
  const empty = new Float64Array();
  return {
    ...{ process, mainThread, feeder: -1, count: 0 },
    ...{ freeNs: empty, startsNs: empty, putsNs: empty, endsNs: empty },
    ...{ basis: 'unknown', note },
  };
}

/** The thread that bears the process's number; -1 = not in the trace. */
function firstThreadOf(trace: Trace, process: number): number {
  const pid = trace.processes[process]?.pid;
  const threads = jobIndex(trace).threadsOf(process);
  return threads.find((thread) => trace.threads[thread].tid === pid) ?? -1;
}

/** Longest time from the birth of the feeder to its first wait for the batch it was born for. */
const BIRTH_NS = 5e6;

/**
 * When batches were put: the feeder's birth, then each end of an idle wait. What ends its last wait
 * is the end of the queue (`Queue.close`), where the worker then exits.
 */
function putsOf(trace: Trace, { thread, idleRows }: Feeder, mainThread: number): number[] {
  const puts = idleRows.map((row) => wokenNsOf(trace, row)).filter((ns) => !Number.isNaN(ns));
  const [, endedNs] = lifeOf(trace, mainThread);
  if (Number.isFinite(endedNs)) puts.pop();
  const [bornNs] = lifeOf(trace, thread);
  const firstNs = puts[0] ?? Infinity;
  if (Number.isFinite(bornNs) && firstNs - bornNs > BIRTH_NS) puts.unshift(bornNs);
  return puts;
}

/** When the index of each batch came: the end of the last wait for one, else it lay ready. */
function indexTimes(
  trace: Trace,
  rank: Rank | undefined,
  mainThread: number,
  freeNs: readonly number[],
  putsNs: readonly number[],
): Float64Array {
  const times = Float64Array.from(freeNs);
  const { rows, startsNs } = traceIndex(trace).switchesOf(mainThread);
  for (let cycle = 0; cycle < putsNs.length; cycle++) {
    const end = firstAbove(startsNs, putsNs[cycle], true);
    for (let at = end - 1; at >= 0 && startsNs[at] >= freeNs[cycle]; at--) {
      if (!isIndexWait(trace, rank, rows[at])) continue;
      times[cycle] = Math.min(putsNs[cycle], wokenNsOf(trace, rows[at]));
      break;
    }
  }
  return times;
}

/** When each batch was written: the training process was woken by it, or the feeder was idle again. */
function sentTimes(
  trace: Trace,
  rank: Rank | undefined,
  { thread, idleRows }: Feeder,
  putsNs: readonly number[],
): Float64Array {
  const idleNs = Float64Array.from(idleRows, (row) => trace.tables.off_cpu.columns.startNs[row]);
  const deliveredNs = rank === undefined ? new Float64Array() : deliveredBy(trace, rank, thread);
  return Float64Array.from(putsNs, (putNs, cycle) => {
    const limitNs = Math.min(
      idleNs[firstAbove(idleNs, putNs, true)] ?? Infinity,
      putsNs[cycle + 1] ?? Infinity,
    );
    const sentNs = deliveredNs[firstAbove(deliveredNs, putNs, true)] ?? Infinity;
    const endNs = Math.min(sentNs, limitNs);
    return Number.isFinite(endNs) ? endNs : putNs;
  });
}

function deliveredBy(trace: Trace, rank: Rank, feeder: number): Float64Array {
  const { atNs, wakers, isPoll } = deliveriesTo(trace, rank);
  return atNs.filter((_, at) => wakers[at] === feeder && isPoll[at] === 1);
}

/** The batch whose making spans `atNs`: put at it or next after it; -1 = none. */
export function cycleAt(cycles: ProductionCycles, atNs: number): number {
  const cycle = firstAbove(cycles.putsNs, atNs, true);
  return cycle < cycles.count && cycles.freeNs[cycle] <= atNs ? cycle : -1;
}

/** The batch that was last put at or before `atNs`: what a wake by its feeder delivered; -1 = none. */
export function cycleSentBy(cycles: ProductionCycles, atNs: number): number {
  return firstAbove(cycles.putsNs, atNs) - 1;
}
