import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { onceFor } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { samplesWithin } from '../stacks/hot-lines.ts';
import { loaderStacks, loaderStages } from '../stacks/loader-stacks.ts';
import { lifeOf } from '../threads/visit-states.ts';
import {
  addCause,
  addCauses,
  type CauseQuestion,
  type CauseSums,
  causeCode,
  causeOfWait,
  noCauses,
  ownProcesses,
} from './cause-sums.ts';
import { isIndexWait } from './index-waits.ts';
import type { ProductionCycles } from './production-cycles.ts';

const ofCycles = onceFor(
  (cycles: ProductionCycles) => cycles,
  () => new Map<number, CauseSums>(),
);

/** What batch `cycle` took, from when it was asked for until it was sent. The ns sum to that time. */
export function causesOfCycle(
  trace: Trace,
  rank: Rank | undefined,
  cycles: ProductionCycles,
  cycle: number,
): CauseSums {
  const byCycle = ofCycles(cycles);
  const found = byCycle.get(cycle) ?? sumCycle(trace, rank, cycles, cycle);
  byCycle.set(cycle, found);
  return found;
}

function sumCycle(
  trace: Trace,
  rank: Rank | undefined,
  cycles: ProductionCycles,
  cycle: number,
): CauseSums {
  const sums = noCauses();
  const question = workerQuestion(trace, rank, cycles);
  const startNs = cycles.startsNs[cycle];
  const putNs = cycles.putsNs[cycle];
  const readyNs = cycle === 0 ? readyNsOf(trace, rank, cycles) : startNs;
  addCause(sums, causeCode.starting, readyNs - startNs, -1);
  addCauses(trace, question, readyNs, putNs, sums);
  addCause(sums, causeCode.sending, cycles.endsNs[cycle] - putNs, -1);
  return sums;
}

function workerQuestion(
  trace: Trace,
  rank: Rank | undefined,
  { mainThread }: ProductionCycles,
): CauseQuestion {
  return {
    thread: mainThread,
    isOwn: ownProcesses(trace, rank),
    waitCause: (row) =>
      isIndexWait(trace, rank, row) ? causeCode['waiting-for-index'] : causeOfWait(trace, row),
  };
}

/**
 * Where a new worker first waited for an index: until then it was starting. Where its first index lay ready, it was
 * starting as long as samples show it in Python outside its loop – where it is spawned it imports, and is given what the
 * dataset holds – or in code of the job's own that its loop called before any batch: a `worker_init_fn`, the making of
 * an iterator. What these don't show counts as what it did.
 */
function readyNsOf(
  trace: Trace,
  rank: Rank | undefined,
  { mainThread, startsNs: starts, putsNs }: ProductionCycles,
): number {
  const { rows, startsNs } = traceIndex(trace).switchesOf(mainThread);
  const end = startsNs.lowerBound(putsNs[0]);
  for (let at = startsNs.lowerBound(starts[0]); at < end; at++)
    if (isIndexWait(trace, rank, rows[at])) return startsNs.nsAt(at);
  return lastStartingNs(trace, mainThread, [starts[0], putsNs[0]]);
}

/** The last sample of a worker’s own start; the begin of the span where there is none. */
function lastStartingNs(trace: Trace, thread: number, span: TimeSpan): number {
  const { stack: stacks, startNs } = trace.tables.cpu_sample.columns;
  const { stage, own } = loaderStacks(trace);
  let lastNs = span[0];
  for (const row of samplesWithin(trace, thread, span)) {
    const stack = stacks?.[row] ?? NONE;
    const inStage = loaderStages[stage[stack] ?? 0];
    if (inStage === 'elsewhere' || (inStage === 'loader' && own[stack] >= 0)) lastNs = startNs[row];
  }
  return lastNs;
}

/**
 * What the thread that makes the batches did over [startNs, endNs), by cause: the waits for an index
 * among them, the sending by another thread not. The ns sum to the part of it in which it lived.
 */
export function causesOfWorker(
  trace: Trace,
  rank: Rank | undefined,
  cycles: ProductionCycles,
  startNs: number,
  endNs: number,
): CauseSums {
  const sums = noCauses();
  if (cycles.mainThread < 0) return sums;
  const [bornNs, diedNs] = lifeOf(trace, cycles.mainThread);
  const toNs = Math.min(endNs, diedNs);
  let fromNs = Math.max(startNs, bornNs);
  if (cycles.count > 0 && cycles.startsNs[0] === bornNs) {
    const readyNs = readyNsOf(trace, rank, cycles);
    addCause(sums, causeCode.starting, Math.min(toNs, readyNs) - fromNs, -1);
    fromNs = Math.max(fromNs, readyNs);
  }
  addCauses(trace, workerQuestion(trace, rank, cycles), fromNs, toNs, sums);
  return sums;
}
