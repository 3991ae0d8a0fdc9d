import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatCount, formatDuration } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import { evidence, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { computedNs } from '../facts/job-shape.ts';
import { kernelWork, OPENS, READS } from '../facts/kernel-work.ts';
import { inputCell, loaderSamples, production, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { reachedMemoryLimit } from '../facts/memory-limit.ts';
import type { Gain } from '../rule.ts';

/** What fetching from a disk took the workers on a CPU, beside their waits for it: it goes where these go. */
export interface ReadingWork {
  /** Rows of cpu_sample. */
  readonly rows: readonly number[];
  /** Of the making of batches on a CPU, 0…1. */
  readonly share: number;
  /** Of the loop’s waits for batches, ns. */
  readonly ns: number;
  readonly evidence: Evidence;
  /** ` Of the CPU samples of reading, 92.9 % were in …`: where the dataset reads; empty where stacks don’t tell. */
  readonly placeText: string;
}

/** Less is within the error of a few samples. Our own choice. */
const SHARE_AT_LEAST = 0.2;
const isRunning = inputCell('worker', 'running');

/**
 * The kernel’s work in the dataset’s own code of opening files and of fetching what no cache holds. Undefined where it is
 * little, or not known, where it is more than the waits for disks, so that something else is read too, and where lack of
 * memory is the cause. Counted once per rank.
 */
export const readingWork = onceFor((facts: RankFacts) => facts, findWork);

function findWork(facts: RankFacts): ReadingWork | undefined {
  const { trace, workers } = facts;
  if (workers.length === 0 || reachedMemoryLimit(facts) !== undefined) return undefined;
  const { stack } = trace.tables.cpu_sample.columns;
  const marks = kernelWork(trace);
  const { byStage, count } = loaderSamples(facts);
  const rows = byStage.item.filter((row) => marks[stack?.[row] ?? NONE] & (READS | OPENS));
  const share = rows.length / count;
  if (count < SAMPLES_AT_LEAST || share < SHARE_AT_LEAST) return undefined;
  const { running, disk } = production(facts).byCause;
  if (running * share > disk) return undefined;
  const { ns } = partlyClaimed(facts.costs, isRunning, () => share);
  const parts = itemParts(trace, sampledStacks(trace, rows));
  return {
    ...{ rows, share, ns },
    evidence: evidence(
      `${formatCount(rows.length)} of ${formatCount(count)} CPU samples of making batches were of the kernel, fetching from the disk for the dataset’s own code: ${formatDuration(ns)} of the loop’s waiting`,
      'inferred',
      refsTo('cpu_sample', rows),
    ),
    placeText: parts === undefined ? '' : ` Of the CPU samples of reading, ${parts}.`,
  };
}

/** `waits`, and of the workers’ time on a CPU as much as `work` is. */
export function withWork(waits: (cell: CostCell) => boolean, work: ReadingWork | undefined) {
  return {
    claims: (cell: CostCell) => waits(cell) || (work !== undefined && isRunning(cell)),
    ...(work !== undefined && {
      claimPart: (cell: CostCell) => (isRunning(cell) ? work.share : 1),
    }),
  };
}

/** Where reads go, what the kernel did for them goes too; the rest of the work stays. */
export function gainOfReads(facts: RankFacts, work: ReadingWork | undefined): Gain {
  const { usable } = facts.cpus;
  if (work === undefined || usable <= 0) return { reach: 'waits', cpus: usable };
  const goneNs = production(facts).byCause.running * work.share;
  return { reach: 'waits', floorNs: Math.max(0, computedNs(facts) - goneNs) / usable };
}
