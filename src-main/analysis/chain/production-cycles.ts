import type { Basis } from '../../shared/answers/basis.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { perRoles } from '../index/per-trace.ts';
import type { Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import { firstThreadOf } from '../jobs/job-index.ts';
import { lifeOf } from '../threads/visit-states.ts';
import { type Feeder, findFeeder } from './feeder.ts';
import { flushedTimes, type Puts, putsOf, sentTimes } from './puts.ts';

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
  /** All that had been put with it was written. */
  readonly flushedNs: Float64Array;
  /** Those that could not be asked for before: the first of each epoch. In order. */
  readonly firsts: readonly number[];
  readonly basis: Basis;
  readonly note: string;
}

const ofTrace = perRoles(() => new Map<number, ProductionCycles>());

/** The batches of a worker process, as its switches show them. Worked out once and kept. */
export function productionCycles(
  trace: Trace,
  rank: Rank | undefined,
  workerProcess: number,
): ProductionCycles {
  const byProcess = ofTrace(trace);
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
  const puts = putsOf(trace, rank, feeder, mainThread);
  if (puts.putsNs.length === 0) return none('No whole batch of this worker is in the trace.');
  const isWhole = [mainThread, feeder.thread].every((thread) => isStored(trace, thread, puts));
  return {
    ...{ process, mainThread, feeder: feeder.thread, count: puts.putsNs.length },
    ...puts,
    endsNs: sentTimes(trace, rank, feeder, puts.putsNs),
    flushedNs: flushedTimes(trace, feeder, puts.putsNs),
    basis: feeder.delivers && isWhole ? 'exact' : 'inferred',
    note: noteOf(feeder, isWhole),
  };
}

/** Whether every switch of `thread` is stored from the first batch, or its own birth, to the last. */
function isStored(trace: Trace, thread: number, { freeNs, putsNs }: Puts): boolean {
  const [bornNs] = lifeOf(trace, thread);
  const fromNs = Math.max(bornNs, freeNs[0]);
  const toNs = putsNs[putsNs.length - 1];
  return completeRangesOf(trace, thread).some(
    ([sinceNs, untilNs]) => sinceNs <= fromNs && toNs <= untilNs,
  );
}

function noteOf({ delivers }: Feeder, isWhole: boolean): string {
  if (!isWhole) return 'Not every switch of this worker is in the trace: batches may be missing.';
  return delivers
    ? 'A batch ends when the worker hands it to the thread that writes to the training process.'
    : 'A batch ends when the worker wakes the thread that seems to send for it; that thread was not seen to wake the training process.';
}

function noCycles(process: number, mainThread: number, note: string): ProductionCycles {
  const empty = new Float64Array();
  return {
    ...{ process, mainThread, feeder: -1, count: 0 },
    ...{ freeNs: empty, startsNs: empty, putsNs: empty, endsNs: empty },
    ...{ flushedNs: empty, firsts: [] },
    ...{ basis: 'unknown', note },
  };
}

/** The batch whose making spans `atNs`: put at it or next after it; -1 = none. */
export function cycleAt(cycles: ProductionCycles, atNs: number): number {
  const cycle = lowerBound(cycles.putsNs, atNs);
  return cycle < cycles.count && cycles.freeNs[cycle] <= atNs ? cycle : -1;
}

/**
 * The batch that a wake by its feeder at `atNs` delivered to who had waited since `sinceNs`: the first that was put
 * meanwhile – a new feeder takes its time, and the next may be put by then – else the last before; -1 = none.
 */
export function cycleSentBy(cycles: ProductionCycles, sinceNs: number, atNs: number): number {
  const last = upperBound(cycles.putsNs, atNs) - 1;
  return Math.min(last, lowerBound(cycles.putsNs, sinceNs));
}

/**
 * When a worker had made every batch it had been asked for, and was asked for another later: all it
 * had made lay in the queue of results. What follows its last batch is left out: it may be the end.
 */
export function idleSpans({ freeNs, startsNs, count }: ProductionCycles): Spans {
  const idle = Array.from({ length: count }, (_, cycle) => cycle).filter(
    (cycle) => cycle > 0 && startsNs[cycle] > freeNs[cycle],
  );
  return {
    startsNs: Float64Array.from(idle, (cycle) => freeNs[cycle]),
    endsNs: Float64Array.from(idle, (cycle) => startsNs[cycle]),
  };
}
