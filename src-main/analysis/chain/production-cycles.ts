import type { Basis } from '../../shared/answers/basis.ts';
import type { Rank, WorkerGeneration } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { perRoles } from '../index/per-trace.ts';
import type { Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import { firstThreadOf } from '../jobs/job-index.ts';
import { lifeOf } from '../threads/visit-states.ts';
import { type Feeder, findFeeder } from './feeder.ts';
import {
  answersAmong,
  flushedTimes,
  type Puts,
  seenPuts,
  sentTimes,
  withoutAnswers,
} from './puts.ts';
import { resumesAmong } from './resumes.ts';

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

/** What a worker was seen to put, its answers among it. */
interface Seen {
  readonly mainThread: number;
  readonly feeder: Feeder;
  readonly puts: Puts;
}

const seenOfTrace = perRoles(() => new Map<number, Seen | string>());

/** Why nothing was seen of it, where that is so. */
function seenOf(trace: Trace, rank: Rank | undefined, process: number): Seen | string {
  const byProcess = seenOfTrace(trace);
  const seen = byProcess.get(process) ?? look(trace, rank, process);
  byProcess.set(process, seen);
  return seen;
}

function look(trace: Trace, rank: Rank | undefined, process: number): Seen | string {
  const mainThread = firstThreadOf(trace, process);
  if (mainThread < 0 || traceIndex(trace).switchesOf(mainThread).rows.length === 0)
    return 'No switch of this worker is stored.';
  const feeder = findFeeder(trace, rank, process, mainThread);
  if (feeder === undefined)
    return 'No thread of this worker was seen to send batches, so they cannot be told apart.';
  return { mainThread, feeder, puts: seenPuts(trace, rank, feeder, mainThread) };
}

const resumesOfTrace = perRoles(
  () => new Map<WorkerGeneration, ReturnType<typeof resumesAmong> | undefined>(),
);

/** The puts of `process` that are answers without a batch. */
function answersOf(
  trace: Trace,
  rank: Rank | undefined,
  process: number,
  puts: Puts,
): ReadonlySet<number> {
  const generation = rank?.generations.find(({ workers }) => workers.includes(process));
  if (generation === undefined) return answersAmong(puts);
  const known = resumesOfTrace(trace);
  if (!known.has(generation)) known.set(generation, resumesOf(trace, rank, generation));
  const resumes = known.get(generation)?.[generation.workers.indexOf(process)];
  return resumes === undefined || resumes.size === 0 ? answersAmong(puts) : resumes;
}

function resumesOf(trace: Trace, rank: Rank | undefined, { workers }: WorkerGeneration) {
  const seen = workers.map((worker) => seenOf(trace, rank, worker));
  const puts = seen.flatMap((each) => (typeof each === 'string' ? [] : [each.puts]));
  return puts.length === workers.length ? resumesAmong(puts) : undefined;
}

function findCycles(trace: Trace, rank: Rank | undefined, process: number): ProductionCycles {
  const seen = seenOf(trace, rank, process);
  if (typeof seen === 'string') return noCycles(process, firstThreadOf(trace, process), seen);
  const { mainThread, feeder } = seen;
  const none = (note: string) => noCycles(process, mainThread, note);
  const answers = answersOf(trace, rank, process, seen.puts);
  const puts = withoutAnswers(trace, rank, mainThread, seen.puts, answers);
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
