import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { isPython } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatCount, formatDuration } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { type Crowding, crowdingOf, withCrowding } from '../facts/crowding.ts';
import { CLEARLY } from '../facts/culprit.ts';
import { areSmallAndScattered } from '../facts/disk-reads.ts';
import { evidence, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { inInterpreter } from '../facts/interpreter-only.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { computedNs } from '../facts/job-shape.ts';
import { kernelWork, OPENS, READS } from '../facts/kernel-work.ts';
import { inputCell, loaderSamples, production, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { reachedMemoryLimit } from '../facts/memory-limit.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import type { Gain } from '../rule.ts';

/** What fetching from a disk took the workers on a CPU, beside their waits for it: it goes where these go. */
export interface ReadingWork {
  /** Rows of cpu_sample. */
  readonly rows: readonly number[];
  /** Of the making of batches on a CPU, 0…1. */
  readonly share: number;
  /** Of the loop’s waits for batches, ns. */
  readonly ns: number;
  readonly crowding: Crowding;
  /** `the kernel’s work of reading`. */
  readonly what: string;
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
  const { count } = loaderSamples(facts);
  const kernel = readingSamples(facts);
  const kernelShare = kernel.length / count;
  if (count < SAMPLES_AT_LEAST || kernelShare < SHARE_AT_LEAST) return undefined;
  const { running, disk } = production(facts).byCause;
  if (running * kernelShare > disk) return undefined;
  // A faster disk leaves that; fewer and larger reads do not.
  const around = areSmallAndScattered(facts) ? samplesAround(facts, kernel) : [];
  const rows = [...kernel, ...around];
  const share = rows.length / count;
  const { ns } = partlyClaimed(facts.costs, isRunning, () => share);
  const parts = itemParts(trace, sampledStacks(trace, rows));
  const beside =
    around.length === 0
      ? ''
      : `, and ${formatCount(around.length)} of the interpreter in the functions that read`;
  return {
    ...{ rows, share, ns },
    crowding: crowdingOf(facts, rows),
    what: around.length === 0 ? 'the kernel’s work of reading' : 'the work of reading',
    evidence: evidence(
      `${formatCount(kernel.length)} of ${formatCount(count)} CPU samples of making batches were of the kernel, fetching from the disk for the dataset’s own code${beside}: ${formatDuration(ns)} of the loop’s waiting`,
      'inferred',
      refsTo('cpu_sample', rows),
    ),
    placeText: parts === undefined ? '' : ` Of the CPU samples of reading, ${parts.text}.`,
  };
}

/** The kernel at work on opening and fetching files for the dataset: rows of cpu_sample. */
function readingSamples(facts: RankFacts): number[] {
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const marks = kernelWork(facts.trace);
  return loaderSamples(facts).byStage.item.filter(
    (row) => marks[stack?.[row] ?? NONE] & (READS | OPENS),
  );
}

/**
 * What the interpreter itself does in the job’s functions that read, as the putting together of paths: it is done for each file.
 * None where that is more than the reading, so that these functions do something else.
 */
function samplesAround(facts: RankFacts, kernel: readonly number[]): number[] {
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const functionOf = ownFunctions(facts.trace);
  const reading = new Set(kernel.map(functionOf));
  reading.delete(undefined);
  const known = new Set(kernel);
  const within = loaderSamples(facts).byStage.item.filter(
    (row) => !known.has(row) && reading.has(functionOf(row)),
  );
  const isInterpreter = inInterpreter(facts.trace);
  return within.length <= kernel.length
    ? within.filter((row) => isInterpreter[stack?.[row] ?? NONE] === 1)
    : [];
}

/** By row of cpu_sample, the innermost function of the job’s own: its symbol and file. */
function ownFunctions({ stacks, tables }: Trace) {
  const { own } = loaderStacks({ stacks });
  const { stack } = tables.cpu_sample.columns;
  return (row: number): string | undefined => {
    const at = own[stack?.[row] ?? NONE] ?? NONE;
    const frame = at < 0 ? NONE : stacks.frame[at];
    if (frame === NONE || !isPython(stacks, frame)) return undefined;
    return `${stacks.frames.symbol[frame]} ${stacks.frames.file[frame]}`;
  };
}

/**
 * `Files.read_file (train.py:39)`: the job’s function that clearly most of the kernel’s work of reading was for; undefined where
 * stacks do not tell.
 */
export const readingPlace = onceFor(
  (facts: RankFacts) => facts,
  (facts) =>
    mostSampled(facts.trace, readingSamples(facts), loaderStacks(facts.trace).own, CLEARLY),
);

/** `waits`, and of the workers’ time on a CPU as much as `work` is, as of the waits for a CPU that it took. */
export function withWork(waits: (cell: CostCell) => boolean, work: ReadingWork | undefined) {
  if (work === undefined) return { claims: waits };
  return withCrowding(
    (cell) => waits(cell) || isRunning(cell),
    work.crowding,
    work.crowding.andText,
    (cell) => (isRunning(cell) ? work.share : 1),
  );
}

/** Where reads go, what the kernel did for them goes too; the rest of the work stays. */
export function gainOfReads(facts: RankFacts, work: ReadingWork | undefined): Gain {
  const { usable } = facts.cpus;
  if (work === undefined || usable <= 0) return { reach: 'waits', cpus: usable };
  const goneNs = production(facts).byCause.running * work.share;
  return { reach: 'waits', floorNs: Math.max(0, computedNs(facts) - goneNs) / usable };
}
