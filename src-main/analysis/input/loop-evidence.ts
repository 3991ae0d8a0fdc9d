import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { SpanList, type Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import type { LoopCalls } from '../loop/loop-calls.ts';
import { SIGN_COLLECTIVE, SIGN_LOADER, SIGN_NONE, stackSigns } from '../loop/stack-signs.ts';
import { awaitsRanks } from './awaits-ranks.ts';
import { isLock, mayAwaitBatch, mayMakeSample } from './loader-calls.ts';
import { waitVotes } from './wait-votes.ts';

/** Moments and stretches of which it is known what the training thread was doing, in order. */
export interface LoopEvidence {
  readonly startsNs: Float64Array;
  /** Equal to the start for a sample. */
  readonly endsNs: Float64Array;
  /** SIGN_OTHER, SIGN_LOADER or SIGN_COLLECTIVE. */
  readonly signs: Uint8Array;
  /** 1 = a wait that a worker or the pin-memory thread ended. */
  readonly isQueueWait: Uint8Array;
  /** Waits of which nothing shows that the loader ended them, or a stack that says what they were in. */
  readonly foreign: ForeignWaits;
  readonly samples: number;
  readonly stacks: number;
  readonly queueWaits: number;
  /** Whether the trace says who ended waits: without, none can be the loader's. */
  readonly knowsWakers: boolean;
}

/** No sample is taken of a thread that waits: what the samples around a wait say is not said of the wait. */
interface ForeignWaits {
  readonly all: Spans;
  /** Those in which the making of a sample can't have waited. */
  readonly never: Spans;
}

const TASK = codeOf(wakeContexts, 'task');
/** CPython's threads ask for the interpreter lock again each 5 ms (sys.setswitchinterval). */
const INTERPRETER_LOCK_NS = 5.5e6;
/**
 * A preemption with less running than this between it and a wait for the loader befell the loader:
 * unpickling a batch and asking for the next take longer (0.1 ms to 0.5 ms, PyTorch 1.13).
 */
const BESIDE_NS = 250_000;

/** What is known of `rank`'s main thread within `window`: one pass over its samples and waits. */
export function loopEvidence(
  trace: Trace,
  rank: Rank,
  calls: LoopCalls,
  window: TimeSpan,
): LoopEvidence {
  const sampled = sampleEvidence(trace, rank.mainThread, window);
  const off = offCpuEvidence(trace, rank, calls, window);
  const count = sampled.count + off.count;
  const merged = new EvidenceList(count);
  for (let at = 0, sample = 0, wait = 0; at < count; at++) {
    const isSample =
      wait === off.count ||
      (sample < sampled.count && sampled.startsNs[sample] <= off.startsNs[wait]);
    if (isSample) merged.copy(sampled, sample++);
    else merged.copy(off, wait++);
  }
  const queueWaits = off.isQueueWait.reduce((sum, one) => sum + one, 0);
  return {
    startsNs: merged.startsNs,
    endsNs: merged.endsNs,
    signs: merged.signs,
    isQueueWait: merged.isQueueWait,
    foreign: off.foreign,
    samples: sampled.count,
    stacks: off.count - queueWaits - off.beside,
    queueWaits,
    knowsWakers: trace.tables.off_cpu.columns.waker?.some((waker) => waker >= 0) ?? false,
  };
}

/** Evidence in order of start; room for `capacity`. */
class EvidenceList {
  count = 0;
  /** Preemptions beside a wait for the loader. */
  beside = 0;
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  readonly signs: Uint8Array;
  readonly isQueueWait: Uint8Array;

  constructor(capacity: number) {
    this.startsNs = new Float64Array(capacity);
    this.endsNs = new Float64Array(capacity);
    this.signs = new Uint8Array(capacity);
    this.isQueueWait = new Uint8Array(capacity);
  }

  add(startNs: number, endNs: number, sign: number, isQueueWait: number): void {
    this.startsNs[this.count] = startNs;
    this.endsNs[this.count] = endNs;
    this.signs[this.count] = sign;
    this.isQueueWait[this.count++] = isQueueWait;
  }

  copy(from: EvidenceList, at: number): void {
    this.add(from.startsNs[at], from.endsNs[at], from.signs[at], from.isQueueWait[at]);
  }
}

class OffCpuEvidence extends EvidenceList {
  readonly #all: SpanList;
  readonly #never: SpanList;

  constructor(capacity: number, window: TimeSpan) {
    super(capacity);
    this.#all = new SpanList(window);
    this.#never = new SpanList(window);
  }

  addForeign(startNs: number, endNs: number, mayBeLoader: boolean): void {
    this.#all.add(startNs, endNs);
    if (!mayBeLoader) this.#never.add(startNs, endNs);
  }

  get foreign(): ForeignWaits {
    return { all: this.#all.spans(), never: this.#never.spans() };
  }
}

function sampleEvidence(trace: Trace, main: number, [fromNs, toNs]: TimeSpan): EvidenceList {
  const { stack } = trace.tables.cpu_sample.columns;
  const { signs } = stackSigns(trace);
  const { rows, startsNs } = traceIndex(trace).rowsOf('cpu_sample', main);
  const found = new EvidenceList(rows.length);
  for (let at = startsNs.lowerBound(fromNs); at < rows.length; at++) {
    if (startsNs.nsAt(at) >= toNs) break;
    const sign = signs[stack?.[rows[at]] ?? -1] ?? SIGN_NONE;
    if (sign !== SIGN_NONE) found.add(startsNs.nsAt(at), startsNs.nsAt(at), sign, 0);
  }
  return found;
}

/** The waits that the loader ended, preemptions beside them, and what else has a recorded stack. */
function offCpuEvidence(
  trace: Trace,
  rank: Rank,
  calls: LoopCalls,
  [fromNs, toNs]: TimeSpan,
): OffCpuEvidence {
  const { durationNs, stack, state } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(rank.mainThread);
  const { signs } = stackSigns(trace);
  const isQueueWait = queueWaitTest(trace, rank, rows);
  const votedSign = waitVotes(trace, calls, rows);
  const endNs = (at: number) => startsNs.nsAt(at) + durationNs[rows[at]];
  const isNear = (at: number, next: number) =>
    startsNs.nsAt(next) - endNs(at) <= BESIDE_NS &&
    isSameGap(calls, endNs(at), startsNs.nsAt(next));
  const isBeside = (at: number) =>
    state?.[rows[at]] === 0 &&
    ((at > 0 && isQueueWait(rows[at - 1]) && isNear(at - 1, at)) ||
      (at + 1 < rows.length && isQueueWait(rows[at + 1]) && isNear(at, at + 1)));
  const found = new OffCpuEvidence(rows.length, [fromNs, toNs]);
  for (let at = startsNs.lowerBound(fromNs); at < rows.length; at++) {
    if (startsNs.nsAt(at) >= toNs) break;
    const isWait = isQueueWait(rows[at]);
    let sign = isWait ? SIGN_LOADER : (signs[stack?.[rows[at]] ?? -1] ?? SIGN_NONE);
    if (sign === SIGN_NONE && isBeside(at)) {
      sign = SIGN_LOADER;
      found.beside++;
    }
    const isSleep = !isReady(state?.[rows[at]] ?? -1);
    if (isSleep && awaitsRanks(trace, rows[at])) sign = SIGN_COLLECTIVE;
    if (sign === SIGN_NONE && isSleep) sign = votedSign(rows[at]);
    if (sign !== SIGN_NONE) found.add(startsNs.nsAt(at), endNs(at), sign, isWait ? 1 : 0);
    else if (isSleep)
      found.addForeign(startsNs.nsAt(at), endNs(at), mayMakeSample(trace, rows[at]));
  }
  return found;
}

/** Whether no call was entered from one moment to the other. */
function isSameGap({ startsNs }: LoopCalls, fromNs: number, toNs: number): boolean {
  return startsNs.lowerBound(fromNs) === startsNs.upperBound(toNs);
}

/**
 * Whether a wait was for the loader: a thread of a DataLoader worker, or the pin-memory thread, ended
 * it, in a system call in which something is received, and no stack says that the loop was elsewhere. From a
 * worker batches come through files: a lock that it released is another one. The pin-memory thread also passes the
 * interpreter lock on: of its wakes only waits too long for that lock count, and those on the same
 * futex as one of them.
 */
function queueWaitTest(trace: Trace, rank: Rank, rows: Uint32Array): (row: number) => boolean {
  const { durationNs, runQueueNs, stack, state, waker, wakerContext, syscallArg0 } =
    trace.tables.off_cpu.columns;
  const { signs } = stackSigns(trace);
  const isElsewhere = (row: number) => {
    const sign = signs[stack?.[row] ?? -1] ?? SIGN_NONE;
    return sign !== SIGN_NONE && sign !== SIGN_LOADER;
  };
  const isWorker = workerThreads(trace, rank);
  const isPin = new Set(rank.pinThreads);
  const slept = (row: number) =>
    state?.[row] !== 0 &&
    (wakerContext === undefined || wakerContext[row] === TASK) &&
    mayAwaitBatch(trace, row) &&
    !isElsewhere(row);
  const isLong = (row: number) =>
    durationNs[row] - Math.max(0, runQueueNs?.[row] ?? 0) > INTERPRETER_LOCK_NS;
  const futexes = new Set<number>();
  for (const row of rows)
    if (isPin.has(waker?.[row] ?? -1) && slept(row) && isLong(row))
      futexes.add(syscallArg0?.[row] ?? -1);
  futexes.delete(-1);
  return (row) => {
    const by = waker?.[row] ?? -1;
    if (by < 0 || !slept(row)) return false;
    if (isWorker[by] === 1) return !isLock(trace, row);
    return isPin.has(by) && (isLong(row) || futexes.has(syscallArg0?.[row] ?? -1));
  };
}

/** By thread: 1 where its process is one of the rank's DataLoader workers. */
function workerThreads(trace: Trace, { generations }: Rank): Uint8Array {
  const workers = new Set(generations.flatMap(({ workers: processes }) => processes));
  return Uint8Array.from(trace.threads, ({ process }) => (workers.has(process) ? 1 : 0));
}
