import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { CycleCause } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { stateCode, visitStates } from '../threads/visit-states.ts';
import { askedAhead, type BatchWait } from './asked-ahead.ts';
import { type BatchSource, sourceOf } from './batch-source.ts';
import {
  addCause,
  addCauses,
  addState,
  type CauseQuestion,
  type CauseSums,
  causeCode,
  causeOfWait,
  noCauses,
  ownProcesses,
} from './cause-sums.ts';
import { causesOfCycle } from './cycle-causes.ts';
import { idleRoom } from './idle-room.ts';
import { EntryList, type InputCauses } from './input-entries.ts';
import { cycleSentBy, type ProductionCycles, productionCycles } from './production-cycles.ts';
import { isPollLike } from './wait-calls.ts';
import { wokenNsOf } from './wakes.ts';

export { type InputCauses, whoseCodes } from './input-entries.ts';

/**
 * Why the main thread of `rank` waited for input in each interval [startsNs[i], endsNs[i]): what it
 * did itself, and where a worker made the batch it waited for, what that worker's making of the batch
 * went to, scaled to the wait until it was made; from then on what held up the worker's thread that hands it over, which
 * needs a CPU, and the interpreter that the making of the next batch may have. DataLoader hands out batches in order, so all waiting within one
 * interval is for the batch that ends it, whoever else sends one meanwhile. The ns of an interval sum
 * to its length. `cpus` is how many the rank may use; 0 = not known.
 */
export function inputCauses(
  trace: Trace,
  rank: Rank,
  startsNs: Float64Array,
  endsNs: Float64Array,
  cpus = 0,
): InputCauses {
  const entries = new EntryList(startsNs.length);
  const question: CauseQuestion = {
    thread: rank.mainThread,
    isOwn: ownProcesses(trace, rank),
    waitCause: (row) => causeOfWait(trace, row),
  };
  const bornNs = workerBirths(trace, rank);
  const waits = Array.from(startsNs, (startNs, at) => {
    const wait = splitWait(trace, rank, question, bornNs, [startNs, endsNs[at]]);
    return { ...wait, made: wait.batch && madeBatch(trace, rank, wait.batch) };
  });
  const { ahead, savedNs } = askedAhead(
    waits.flatMap(({ made, batchNs }, at) =>
      made === undefined
        ? []
        : [{ ...made, ns: untilPut(made, startsNs[at], batchNs), endNs: endsNs[at] }],
    ),
    (cpuShare) => {
      const workers = rank.generations.flatMap((generation) => generation.workers);
      const cycles = workers.map((process) => productionCycles(trace, rank, process));
      return idleRoom(trace, { mainThread: rank.mainThread, cpus, cpuShare }, cycles);
    },
  );
  let known = 0;
  for (const [at, { main, batch, batchNs, sleeps, made }] of waits.entries()) {
    entries.addMain(main);
    if (made !== undefined) {
      const { cycles, cycle, sums } = made;
      const lateNs = savedNs[known++];
      const madeNs = untilPut(made, startsNs[at], batchNs);
      entries.addOne(cycles.process, causeCode['waiting-for-index'], lateNs);
      entries.addScaled(cycles.process, cycle, withoutSending(sums), madeNs - lateNs);
      if (batchNs > madeNs) {
        const readyNs = madeNs > 0 ? cycles.putsNs[cycle] : startsNs[at];
        const handing = whileHanding(trace, question, cycles, sleeps, readyNs);
        entries.addScaled(cycles.process, cycle, handing, batchNs - madeNs);
      }
    } else if (batch !== undefined)
      entries.addOne(batch.process, batch.isEnd ? causeCode.starting : causeCode.unknown, batchNs);
    entries.endInterval();
  }
  return entries.finish(ahead);
}

/** When the workers of the rank were born, in order of time. */
function workerBirths({ processes }: Trace, { generations }: Rank): Float64Array {
  const births = generations.flatMap(({ workers }) =>
    workers.flatMap((process) => processes[process]?.startNs ?? []),
  );
  return Float64Array.from(births).sort();
}

interface Wait {
  /** What the training process did itself; up to the birth of the last worker in it, it started them. */
  readonly main: CauseSums;
  /** Who sent the batch that ended it, and how long that was waited for. */
  readonly batch: BatchSource | undefined;
  readonly batchNs: number;
  /** The sleeps of which that is made up. */
  readonly sleeps: readonly Sleep[];
}

/** Until `thread` of a worker ended it. */
interface Sleep {
  readonly thread: number;
  readonly fromNs: number;
  readonly toNs: number;
}

function splitWait(
  trace: Trace,
  rank: Rank,
  question: CauseQuestion,
  bornNs: Float64Array,
  [startNs, endNs]: TimeSpan,
): Wait {
  const startedNs = bornNs[lowerBound(bornNs, endNs) - 1] ?? -Infinity;
  const main = noCauses();
  let batch: BatchSource | undefined;
  let isBatchPolled = false;
  let batchNs = 0;
  const sleeps: Sleep[] = [];
  visitStates(trace, rank.mainThread, startNs, endNs, (fromNs, toNs, state, row, throttled) => {
    const source = isWaiting(state) && row >= 0 ? sourceOf(trace, rank, row) : undefined;
    if (source === undefined) {
      const sinceNs = Math.min(toNs, Math.max(fromNs, startedNs));
      addCause(main, causeCode.starting, sinceNs - fromNs, row);
      addState(trace, question, main, { fromNs: sinceNs, toNs, state, row, throttled });
      return;
    }
    const handedNs = Math.min(toNs, Math.max(fromNs, source.atNs));
    if (source.through >= 0)
      addCauses(trace, { ...question, thread: source.through }, handedNs, toNs, main);
    const untilNs = source.through >= 0 ? handedNs : toNs;
    batchNs += untilNs - fromNs;
    sleeps.push({ thread: source.thread, fromNs, toNs: untilNs });
    // The handing over of memory wakes it too; what it waits for in the queue is the batch.
    const isPolled = source.through >= 0 || isPollLike(trace, row);
    if (wokenNsOf(trace, row) > endNs || (isBatchPolled && !isPolled)) return;
    batch = source;
    isBatchPolled = isPolled;
  });
  if (batch === undefined) addCause(main, causeCode.unknown, batchNs, -1);
  return { main, batch, batchNs, sleeps };
}

function isWaiting(state: number): boolean {
  return state !== stateCode.running && state !== stateCode.runnable && state !== stateCode.unknown;
}

/** What a worker can't go on without while others have it. */
const CONTENDED = [
  'runnable-own',
  'runnable-other',
  'throttled',
  'stopped',
  'disk',
  'lock',
  'shared-lock',
] as const satisfies readonly CycleCause[];

interface Made extends Pick<BatchWait, 'cycles' | 'cycle' | 'contendedShare' | 'cpuShare'> {
  readonly sums: CauseSums;
  /** As `BatchSource.sinceNs`. */
  readonly sinceNs: number;
}

/**
 * What of a wait of `ns` from `startNs` on was for the making of the batch: its handing over takes as long, whenever it
 * was made. None where the worker still wrote one before it: then it may be that one that was waited for.
 */
function untilPut({ cycles, cycle, sinceNs }: Made, startNs: number, ns: number): number {
  if (cycle > 0 && cycles.flushedNs[cycle - 1] > sinceNs) return 0;
  return Math.min(ns, Math.max(0, cycles.putsNs[cycle] - startNs));
}

/**
 * What from `readyNs` on kept a batch from being handed over: the thread of the worker that does it had no CPU, or
 * slept while the main thread of the worker, which makes the next one, had the interpreter. The rest is the sending itself.
 */
function whileHanding(
  trace: Trace,
  question: CauseQuestion,
  { mainThread }: ProductionCycles,
  sleeps: readonly Sleep[],
  readyNs: number,
): CauseSums {
  const sums = noCauses();
  const making = noCauses();
  const asked = { ...question, waitCause: () => causeCode.unknown };
  for (const { thread, fromNs: sinceNs, toNs: untilNs } of sleeps) {
    const startNs = Math.max(sinceNs, readyNs);
    visitStates(trace, thread, startNs, untilNs, (fromNs, toNs, state, row, throttled) => {
      const stretch = { fromNs, toNs, state, row, throttled };
      if (state === stateCode.runnable) addState(trace, { ...asked, thread }, sums, stretch);
      else if (state !== stateCode.running && thread !== mainThread)
        addCauses(trace, { ...asked, thread: mainThread }, fromNs, toNs, making);
    });
  }
  addHolding(sums, making);
  const sleptNs = sleeps.reduce(
    (sum, { fromNs, toNs }) => sum + Math.max(0, toNs - Math.max(fromNs, readyNs)),
    0,
  );
  const heldUpNs = sums.ns.reduce((sum, ns) => sum + ns, 0);
  addCause(sums, causeCode.sending, Math.max(1, sleptNs - heldUpNs), -1);
  return sums;
}

const withoutSending = (sums: CauseSums): CauseSums => ({
  ...sums,
  ns: sums.ns.with(causeCode.sending, 0),
});

/** Who runs has the interpreter, and who is kept from running keeps it; who sleeps has let go of it. */
const HOLDING = [
  'running',
  'runnable-own',
  'runnable-other',
  'throttled',
  'idle-cpu',
  'stopped',
] as const satisfies readonly CycleCause[];

function addHolding(sums: CauseSums, { ns, rows }: CauseSums): void {
  for (const cause of HOLDING) {
    const code = causeCode[cause];
    addCause(sums, code, ns[code], rows[code]);
  }
}

/** The batch that a worker sent, and what its making went to; undefined where it ended instead, or which one is not known. */
function madeBatch(
  trace: Trace,
  rank: Rank,
  { process, sinceNs, atNs, isEnd }: BatchSource,
): Made | undefined {
  if (isEnd) return undefined;
  const cycles = productionCycles(trace, rank, process);
  const cycle = cycleSentBy(cycles, sinceNs, atNs);
  if (cycle < 0) return undefined;
  const sums = causesOfCycle(trace, rank, cycles, cycle);
  const allNs = sums.ns.reduce((sum, ns) => sum + ns, 0);
  const contendedNs = CONTENDED.reduce((sum, cause) => sum + sums.ns[causeCode[cause]], 0);
  const shareOf = (ns: number) => (allNs > 0 ? ns / allNs : 0);
  const runningNs = sums.ns[causeCode.running];
  return {
    ...{ cycles, cycle, sums, sinceNs },
    ...{ contendedShare: shareOf(contendedNs), cpuShare: shareOf(runningNs) },
  };
}
