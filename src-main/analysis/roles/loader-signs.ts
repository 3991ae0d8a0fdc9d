import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { bitsOfStacks } from '../../shared/model/stacks.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { hasLoaderPatience } from '../index/loader-polls.ts';
import { isWorkerLoop } from '../stacks/loader-stacks.ts';
import { areLoopsTold } from './training-signs.ts';

/** A loader starts its workers within this time of each other. */
const BURST_NS = 5e9;

const TASK = codeOf(wakeContexts, 'task');
const TIMER = codeOf(wakeContexts, 'timer');

/** What the recorder says of any child of a Python process that goes on in Python (agent/src/host/roles.c). */
const FORKED = /\bforked by a Python process without exec$|^spawned by a Python process/;

/** Whether the source calls a process a worker for how it was started alone: a job's own children are started so too. */
export function isWorkerByBirth({ role, roleBasis }: ProcessInfo): boolean {
  return role === 'dataloader-worker' && FORKED.test(roleBasis);
}

/**
 * Of the processes that are called workers for their birth alone, those that PyTorch's loader shows in: its loop on a
 * stack, or a wait on one of its queues, at either end; or which were started between two such. Where the recorder
 * leaves out what threads wait in, none could show it, and all are believed.
 */
export function shownWorkers(trace: Trace): ReadonlySet<number> {
  const born = trace.processes.flatMap((process, index) =>
    isWorkerByBirth(process) ? [index] : [],
  );
  if (born.length === 0 || !areLoopsTold(trace)) return new Set(born);
  const isBorn = new Uint8Array(trace.processes.length);
  for (const process of born) isBorn[process] = 1;
  const shown = new Set<number>();
  seeWaits(trace, isBorn, shown);
  seeStacks(trace, isBorn, shown);
  return new Set([...shown, ...startedBetween(trace, born, shown)]);
}

/** A worker waits for what to make, and its training process for what it made; both look around every 5 s. */
function seeWaits(trace: Trace, isBorn: Uint8Array, shown: Set<number>): void {
  const { thread, waker, wakerContext } = trace.tables.off_cpu.columns;
  const processOf = Int32Array.from(trace.threads, ({ process }) => process);
  const parentOf = Int32Array.from(trace.processes, ({ parent }) => parent);
  for (let row = 0; row < thread.length; row++) {
    const own = processOf[thread[row]] ?? NONE;
    const context = wakerContext?.[row] ?? TASK;
    const other = context === TASK ? (processOf[waker?.[row] ?? NONE] ?? NONE) : NONE;
    const asks = isBorn[own] === 1 && (context === TIMER || other === parentOf[own]);
    const answers = isBorn[other] === 1 && parentOf[other] === own;
    if (!(asks || answers) || shown.has(asks ? own : other)) continue;
    if (hasLoaderPatience(trace, row)) shown.add(asks ? own : other);
  }
}

function seeStacks(trace: Trace, isBorn: Uint8Array, shown: Set<number>): void {
  const { stacks } = trace;
  const inLoop = bitsOfStacks(stacks, (frame) => Number(isWorkerLoop(frame)));
  if (!inLoop.includes(1)) return;
  for (const table of [trace.tables.cpu_sample, trace.tables.off_cpu]) {
    const { thread, stack } = table.columns;
    stack?.forEach((at, row) => {
      if (inLoop[at] !== 1) return;
      const process = trace.threads[thread[row]]?.process ?? NONE;
      if (isBorn[process] === 1) shown.add(process);
    });
  }
}

/** Of `born`, those whose parent started workers that show both before and after them: a loader starts its own in a row. */
function startedBetween(
  { processes }: Trace,
  born: readonly number[],
  shown: ReadonlySet<number>,
): number[] {
  const startsOf = new Map<number, number[]>();
  for (const process of shown) {
    const { parent, startNs } = processes[process];
    if (startNs === undefined) continue;
    const startsNs = startsOf.get(parent);
    if (startsNs === undefined) startsOf.set(parent, [startNs]);
    else startsNs.push(startNs);
  }
  const sorted = new Map(
    [...startsOf].map(([parent, startsNs]) => [parent, Float64Array.from(startsNs).sort()]),
  );
  return born.filter((process) => {
    const { parent, startNs } = processes[process];
    const startsNs = sorted.get(parent);
    if (shown.has(process) || startNs === undefined || startsNs === undefined) return false;
    const next = lowerBound(startsNs, startNs);
    return startsNs[next] - startNs <= BURST_NS && startNs - startsNs[next - 1] <= BURST_NS;
  });
}
