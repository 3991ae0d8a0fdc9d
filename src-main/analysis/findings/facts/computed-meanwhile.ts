import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { pooledFunctions } from '../../stacks/pool-stacks.ts';
import { CLEARLY } from './culprit.ts';
import type { RankFacts } from './facts.ts';
import { processText } from './job-shape.ts';
import { FEW_SAMPLES, mostSampled } from './most-sampled.ts';
import { mostPlace, samplesOf } from './thread-work.ts';

/** On a CPU for so much of the spans, a process has to be what the loop may look for. Our own choice. */
const BUSY_SHARE = 0.7;

/** Processes of the job, neither trainers nor loaders, each of which computed for most of some spans. */
export interface ComputedMeanwhile {
  /** The busiest: `python3 (pid 103)`. */
  readonly name: string;
  /** How many there are, the busiest included. */
  readonly count: number;
  /** Of the spans, the busiest was on a CPU for so much, 0…1. */
  readonly busyShare: number;
  /** `resize (export.py:31)`: where most of the samples of all of them were; undefined where no function has half. */
  readonly place: string | undefined;
  /** Of cpu_sample. */
  readonly rows: readonly number[];
}

/** Who of the job computed while the loop slept over `spans`; undefined where nobody did for most of it, or no samples tell. */
export function computedMeanwhile(
  facts: RankFacts,
  spans: readonly TimeSpan[],
): ComputedMeanwhile | undefined {
  const { trace, rank } = facts;
  const { everyNs } = trace.tables.cpu_sample.provenance;
  const { stack } = trace.tables.cpu_sample.columns;
  const { jobOf, threadsOf } = jobIndex(trace);
  const lengthNs = spans.reduce((sum, [startNs, endNs]) => sum + endNs - startNs, 0);
  const job = jobOf(rank.process);
  if (everyNs === undefined || job === undefined || lengthNs === 0) return undefined;
  const busy = trace.processes
    .flatMap(({ role }, process) => {
      if (role !== 'other' || jobOf(process) !== job) return [];
      const rows = samplesOf(facts, threadsOf(process), spans);
      return [{ process, rows, share: (rows.length * everyNs) / lengthNs }];
    })
    .filter(({ rows, share }) => rows.length >= FEW_SAMPLES && share >= BUSY_SHARE)
    .sort((a, b) => b.share - a.share);
  if (busy.length === 0) return undefined;
  const rows = busy.flatMap((one) => one.rows);
  const seen = rows.map((row) => ({ stack: stack?.[row] ?? NONE, weight: 1 }));
  return {
    name: processText(trace, busy[0].process),
    count: busy.length,
    busyShare: Math.min(1, busy[0].share),
    place: mostSampled(trace, rows, pooledFunctions(trace), CLEARLY) ?? mostPlace(facts, seen),
    rows,
  };
}
