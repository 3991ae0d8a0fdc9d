import type { CannotTell } from '../../shared/answers/basis.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import type { ProductionCycle, WaitChain } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { atOnce, type Pieces } from '../../shared/numbers/pieces.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { chainSums } from './chain-sums.ts';
import { cycleOf } from './cycle-of.ts';
import { endingOf } from './ending.ts';
import { measuredStretch } from './measured-stretch.ts';
import { cycleAt, productionCycles } from './production-cycles.ts';
import { lengthOf, segmentsOf } from './segments.ts';
import { type Stretch, type Walk, walkBack } from './walk.ts';

/**
 * What was really going on while `thread` spent [startNs, endNs): back in time from whoever woke it,
 * and who woke that one. `rank` is the one that is explained, where the thread belongs to one.
 */
export function waitChain(
  trace: Trace,
  rank: Rank | undefined,
  thread: number,
  startNs: number,
  endNs: number,
): WaitChain {
  return atOnce(waitChainInPieces(trace, rank, thread, startNs, endNs));
}

/** As waitChain, in pieces: one of seconds has many thousand stretches. */
export function* waitChainInPieces(
  trace: Trace,
  rank: Rank | undefined,
  thread: number,
  startNs: number,
  endNs: number,
): Pieces<WaitChain> {
  const walk = yield* walkBack(trace, rank, thread, startNs, endNs);
  yield;
  const cycle = cycleBehind(trace, rank, thread, walk.stretches);
  yield;
  const segments = segmentsOf(trace, rank, walk.stretches);
  yield;
  const sums = yield* chainSums(trace, rank, walk.stretches);
  yield;
  return {
    ...{ startNs, endNs, segments, sums },
    ...(cycle === undefined ? {} : { cycle }),
    ending: endingOf(trace, rank, walk.stretches),
    cannotTell: openQuestions(trace, walk),
  };
}

/** The batch in whose making the chain spent most of its time. */
function cycleBehind(
  trace: Trace,
  rank: Rank | undefined,
  origin: number,
  stretches: readonly Stretch[],
): ProductionCycle | undefined {
  const spent = new Map<string, { process: number; cycle: number; ns: number }>();
  for (const stretch of stretches) {
    const process = trace.threads[stretch.thread]?.process ?? -1;
    if (stretch.thread === origin || trace.processes[process]?.role !== 'dataloader-worker')
      continue;
    const cycles = productionCycles(trace, rank, process);
    const cycle = stretch.thread === cycles.mainThread ? cycleAt(cycles, stretch.endNs) : -1;
    if (cycle < 0) continue;
    const key = `${process} ${cycle}`;
    const known = spent.get(key) ?? { process, cycle, ns: 0 };
    known.ns += lengthOf(stretch);
    spent.set(key, known);
  }
  const [most] = [...spent.values()].sort((a, b) => b.ns - a.ns);
  return most === undefined ? undefined : cycleOf(trace, rank, most.process, most.cycle);
}

function openQuestions(trace: Trace, { stretches, isCut }: Walk): CannotTell[] {
  const questions: CannotTell[] = [];
  const sumOf = (wanted: (stretch: Stretch) => boolean) =>
    stretches.reduce((ns, next) => (wanted(next) ? ns + lengthOf(next) : ns), 0);
  const measuredNs = sumOf((stretch) => measuredStretch(trace, stretch) !== undefined);
  const unknownNs = sumOf(({ kind }) => kind === 'unknown') - measuredNs;
  const offCpuNs = sumOf(({ kind }) => kind === 'off-cpu');
  if (measuredNs > 0)
    questions.push({
      question: `When in ${formatDuration(measuredNs)} of this time did it wait, and who ran or woke it then?`,
      because: 'The recorder measured sums around the call, and no single switches.',
    });
  if (unknownNs > 0)
    questions.push({
      question: `What was going on for ${formatDuration(unknownNs)} of this time?`,
      because: isCut
        ? 'The chain has too many links to follow them all.'
        : 'Not every switch of the thread that mattered then is in the trace.',
    });
  if (offCpuNs > 0)
    questions.push({
      question: `What was waited for during ${formatDuration(offCpuNs)}?`,
      because: 'The trace does not say when the thread was woken, nor by whom.',
    });
  return questions;
}
