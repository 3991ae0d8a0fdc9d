import { isCollectiveKernel, isCollectiveRange } from '../../shared/model/collective-names.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What ranks of one job do together, so that the traces of two of them have it both. Times in ns from the trace's begin. */
export interface SharedMoments {
  /**
   * When each collective was over, in order: at one moment for all ranks in it. Of those that follow each other closely
   * the last. Of the GPU or process with most of them.
   */
  readonly collectivesNs: Float64Array;
  /** When each numbered step was over, by its name; only steps that are there once. */
  readonly stepsNs: ReadonlyMap<string, number>;
}

/** As PyTorch's profiler and people number them, from a name with what it counts to its number. */
const NUMBERED_STEP =
  /^(ProfilerStep#|(train(ing)?[ _.-]?)?(step|iter|iteration|batch)[ _.#:-]*)\d+$/i;
/** More tell nothing new, and each is compared with each. */
const MAX_COLLECTIVES = 1500;

export function sharedMoments(trace: Trace): SharedMoments {
  const kernels = mostOf(collectiveKernels(trace));
  const ends = kernels.length > 0 ? kernels : mostOf(collectiveRanges(trace));
  return {
    collectivesNs: lastOfBursts(Float64Array.from(ends).sort()).slice(0, MAX_COLLECTIVES),
    stepsNs: numberedSteps(trace),
  };
}

/** Closer ones are of one burst, as the buckets of gradients: shifted by one bucket it looks much the same. Our own choice. */
const BURST_NS = 1e6;

function lastOfBursts(sorted: Float64Array): Float64Array {
  return sorted.filter((ns, at) => !((sorted[at + 1] ?? Infinity) - ns < BURST_NS));
}

type Groups = ReadonlyMap<number, number[]>;

function mostOf(groups: Groups): readonly number[] {
  return [...groups.values()].reduce<readonly number[]>(
    (most, each) => (each.length > most.length ? each : most),
    [],
  );
}

function collectiveKernels(trace: Trace): Groups {
  const { gpu, op, startNs, durationNs } = trace.tables.gpu_work.columns;
  const wanted = namesThat(trace, isCollectiveKernel);
  const groups = new Map<number, number[]>();
  for (let row = 0; row < op.length; row++)
    if (wanted[op[row]] === 1) put(groups, gpu[row], startNs[row] + durationNs[row]);
  return groups;
}

function collectiveRanges(trace: Trace): Groups {
  const { thread, op, startNs, durationNs } = trace.tables.range.columns;
  const wanted = namesThat(trace, isCollectiveRange);
  const groups = new Map<number, number[]>();
  for (let row = 0; row < op.length; row++) {
    if (wanted[op[row]] !== 1) continue;
    const process = trace.threads[thread[row]]?.process ?? -1;
    put(groups, process, startNs[row] + durationNs[row]);
  }
  return groups;
}

function put(groups: Map<number, number[]>, key: number, endNs: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [endNs]);
  else group.push(endNs);
}

function numberedSteps(trace: Trace): Map<string, number> {
  const { thread, op, startNs, durationNs } = trace.tables.range.columns;
  const wanted = namesThat(trace, (name) => NUMBERED_STEP.test(name));
  const ends = new Map<string, number>();
  const twice = new Set<string>();
  for (let row = 0; row < op.length; row++) {
    // The profiler repeats a step on the rows of the GPU, which no thread has.
    if (wanted[op[row]] !== 1 || trace.threads[thread[row]] === undefined) continue;
    const name = trace.names[op[row]];
    if (ends.has(name)) twice.add(name);
    ends.set(name, startNs[row] + durationNs[row]);
  }
  for (const name of twice) ends.delete(name);
  return ends;
}

function namesThat({ names }: Trace, are: (name: string) => boolean): Uint8Array {
  return Uint8Array.from(names, (name) => Number(are(name)));
}
