import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { endSentence } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { lostCalls, touches } from '../coverage/lost-calls.ts';
import type { LoopCalls } from './loop-calls.ts';
import { repeatingSteps } from './repeating-steps.ts';
import type { StepBounds } from './step-list.ts';

/** PyTorch's profiler names a step so; NVTX ranges are named by hand. */
const STEP_NAME =
  /^ProfilerStep#?\s*\d+|^(train(ing)?[ _.-]?)?(step|iter|iteration|batch)[ _.#:-]*\d*$/i;
/** Below this many ranges a profiler's schedule was recorded, not a loop. */
const MIN_ANNOTATED = 3;

/** The steps of `rank`: ranges that mark them, else the repeating pattern of its main thread's calls. */
export function stepBounds(trace: Trace, rank: Rank, calls: LoopCalls): StepBounds {
  const marked = annotatedSteps(trace, rank);
  if (marked.startsNs.length >= MIN_ANNOTATED) return marked;
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

function annotatedSteps(trace: Trace, rank: Rank): StepBounds {
  const { startNs, durationNs, thread, op, category } = trace.tables.range.columns;
  const isStep = trace.names.map((name) => STEP_NAME.test(name));
  // PyTorch's profiler repeats each step on the rows of the GPU, where it is later and longer.
  const isOfGpu = trace.names.map((name) => name === 'gpu_user_annotation');
  const starts: number[] = [];
  const ends: number[] = [];
  for (let row = 0; row < startNs.length; row++) {
    if (!isStep[op[row]] || durationNs[row] === 0 || isOfGpu[category[row]]) continue;
    const process = trace.threads[thread[row]]?.process;
    if (process !== undefined && process !== rank.process) continue;
    // The range around others of its kind is not a step of its own.
    if (starts.length > 0 && startNs[row] < ends[ends.length - 1]) continue;
    starts.push(startNs[row]);
    ends.push(startNs[row] + durationNs[row]);
  }
  return {
    basis: 'annotation',
    note: `${plural(starts.length, 'range')} in the trace mark the steps.`,
    startsNs: Float64Array.from(starts),
    endsNs: Float64Array.from(ends),
  };
}
