import { formatDuration } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import { type LoaderStage, loaderStages } from '../../stacks/loader-stacks.ts';
import type { CostCause, CostCell, RankFacts } from './facts.ts';
import { visitLoaderWaits } from './loader-waits.ts';
import { DOMINANT_SHARE, loaderSamples, production, SAMPLES_AT_LEAST } from './loader-work.ts';

/**
 * What workers did where no batch of theirs is known, but stacks were read now and then, of threads that ran (cpu_sample) and of threads that slept (off_cpu). A look at a running thread stands
 * for the time between two looks; a stack of a wait for all of that wait.
 */
export interface SampledMaking {
  /** Stacks that were read of workers in their loop. */
  readonly looks: number;
  /** Time that these stand for, ns. */
  readonly ns: number;
  /** Of it, by what the worker was in, on a CPU and asleep, ns. */
  readonly runningNs: Readonly<Record<LoaderStage, number>>;
  readonly asleepNs: Readonly<Record<LoaderStage, number>>;
  /** Waits with a stack in the dataset: rows of off_cpu. */
  readonly asleepInItem: readonly number[];
  /** Between two looks at a thread, ns; undefined where that is not told. */
  readonly everyNs: number | undefined;
}

/** Whether the workers' batches are not known, or only from what was seen now and then. */
export function isOnlySampled(facts: RankFacts): boolean {
  const { kind } = facts.trace.tables.off_cpu.provenance;
  return facts.workers.length > 0 && (kind === 'sampled' || production(facts).batches === 0);
}

/** Undefined where batches are known, and where too little was seen to tell. Once per rank. */
export const sampledMaking = onceFor((facts: RankFacts) => facts, countMaking);

function countMaking(facts: RankFacts): SampledMaking | undefined {
  const { trace, workers } = facts;
  if (!isOnlySampled(facts)) return undefined;
  const { everyNs } = trace.tables.cpu_sample.provenance;
  const { byStage } = loaderSamples(facts);
  const asleepNs = noTime();
  const runningNs = noTime();
  const asleepInItem: number[] = [];
  let waits = 0;
  for (const stage of loaderStages) runningNs[stage] = byStage[stage].length * (everyNs ?? 0);
  for (const worker of workers) {
    visitLoaderWaits(trace, worker.mainThread, worker.window, (row, ns, stage) => {
      asleepNs[stage] += ns;
      waits++;
      if (stage === 'item') asleepInItem.push(row);
    });
  }
  const seen = loaderStages.filter((stage) => stage !== 'unknown' && stage !== 'elsewhere');
  const ns = seen.reduce((sum, stage) => sum + runningNs[stage] + asleepNs[stage], 0);
  const looks = waits + seen.reduce((sum, stage) => sum + byStage[stage].length, 0);
  if (looks < SAMPLES_AT_LEAST || ns === 0) return undefined;
  return { looks, ns, runningNs, asleepNs, asleepInItem, everyNs };
}

function noTime(): Record<LoaderStage, number> {
  return Object.fromEntries(loaderStages.map((stage) => [stage, 0])) as Record<LoaderStage, number>;
}

/** Time in the making of batches, on a CPU or not: in the dataset and in what puts samples together. */
function makingNs({ runningNs, asleepNs }: SampledMaking): number {
  return (['item', 'collate', 'default-collate'] as const).reduce(
    (sum, stage) => sum + runningNs[stage] + asleepNs[stage],
    0,
  );
}

/** Asleep, or not known to have run: what the loop's wait for a batch looks like without its waker. */
const WAITS: ReadonlySet<CostCause> = new Set(['sleeping', 'lock', 'unknown', 'off-cpu']);

const isInputWait = ({ phase, whose, cause }: CostCell) =>
  phase === 'input' && whose === 'main' && WAITS.has(cause);

/**
 * The wait for input that the making of batches is responsible for, where no switch tells which worker ended
 * it: all of it, if workers were met making batches for most of their time. Undefined where they were not.
 */
export function inputWaitOfMaking(
  facts: RankFacts,
): { readonly making: SampledMaking; readonly claims: (cell: CostCell) => boolean } | undefined {
  const making = sampledMaking(facts);
  if (making === undefined || makingNs(making) < making.ns * DOMINANT_SHARE) return undefined;
  return { making, claims: isInputWait };
}

/** `Sampling each worker every 55 ms`. */
export function looksText({ everyNs }: SampledMaking): string {
  return everyNs === undefined
    ? 'Sampling the workers'
    : `Sampling each worker every ${formatDuration(everyNs)}`;
}
