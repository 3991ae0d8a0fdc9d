import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { endSentence } from '../../shared/text/text.ts';
import { lostCalls, touches } from '../coverage/lost-calls.ts';
import type { LoopCalls } from './loop-calls.ts';
import { namedSteps } from './named-steps.ts';
import { repeatingSteps } from './repeating-steps.ts';
import type { StepBounds } from './step-list.ts';

/** The steps of `rank`: ranges that mark them, else the repeating pattern of its main thread's calls. */
export function stepBounds(trace: Trace, rank: Rank, calls: LoopCalls): StepBounds {
  const named = namedSteps(trace, rank);
  if (named !== undefined) return named;
  if (servesRequests(trace, rank)) return noSteps(trace, rank);
  return withoutLost(trace, rank, repeatingSteps(trace, calls));
}

function noSteps(trace: Trace, rank: Rank): StepBounds {
  const { roleBasis = '', roleSet } = trace.processes[rank.process] ?? {};
  const why =
    roleBasis === '' || roleSet
      ? ''
      : ` Stalltrace takes this process for one: ${endSentence(roleBasis)}`;
  return {
    basis: 'none',
    note: `A model server answers requests as they come: it has no training steps.${why}`,
    startsNs: new Float64Array(0),
    endsNs: new Float64Array(0),
  };
}

export function servesRequests(trace: Trace, rank: Rank): boolean {
  return trace.processes[rank.process]?.role === 'server';
}

/** Whether the process of `rank` runs its model over batches, and nothing shows that it trains it. */
export function infersOnly(trace: Trace, rank: Rank): boolean {
  return trace.processes[rank.process]?.role === 'inference';
}

/** Whether nothing tells what the process of `rank` does in its loop. */
export function isLoopUnknown(trace: Trace, rank: Rank): boolean {
  return trace.processes[rank.process]?.role === 'gpu-process';
}

/** Where calls were lost, several steps look like one: these are left out. */
function withoutLost(trace: Trace, rank: Rank, bounds: StepBounds): StepBounds {
  const lost = lostCalls(trace, trace.processes[rank.process]?.host ?? 0);
  const isWhole = (step: number) => !touches(lost, bounds.startsNs[step], bounds.endsNs[step]);
  const cut = bounds.startsNs.reduce((sum, _, step) => sum + (isWhole(step) ? 0 : 1), 0);
  if (cut === 0) return bounds;
  const note = `${bounds.note} Where CUDA calls were lost, no step is given.`;
  const basis = cut === bounds.startsNs.length ? 'none' : bounds.basis;
  const kept = (ns: Float64Array) => ns.filter((_, step) => isWhole(step));
  return { basis, note, startsNs: kept(bounds.startsNs), endsNs: kept(bounds.endsNs) };
}
