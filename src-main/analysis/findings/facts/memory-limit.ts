import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { bytesReadBy, diskReads } from './disk-reads.ts';
import type { RankFacts } from './facts.ts';
import { windowNs } from './job-shape.ts';
import { kernelWork, MAKES_ROOM, READS, SWAPS_IN } from './kernel-work.ts';
import { makersOf, SAMPLES_AT_LEAST } from './loader-work.ts';
import { type MetricSamples, samplesOf } from './machine-samples.ts';
import { FEW_SAMPLES } from './most-sampled.ts';
import { reclaims } from './reclaims.ts';

/** A limit of memory that the job’s control group ran into within the window. */
export interface MemoryLimit {
  readonly bytes: number;
  /** Of version 2 that from which on the group is slowed down, not the hard one. */
  readonly file: 'memory.max' | 'memory.high';
  /** memory.max; undefined = not known. */
  readonly hardBytes: number | undefined;
  /** How often there was no room; undefined = not known. */
  readonly hits: number | undefined;
  /** What of files had been dropped for lack of room and was read again. */
  readonly readAgainBytes: number;
  /** What is no file’s and came back from swap. */
  readonly swappedInBytes: number;
  /** Whether these two are told apart; else what came back from swap is in the first. */
  readonly isSwapApart: boolean;
  /** The most that was in swap; 0 = nothing, or not known. */
  readonly swapBytes: number;
  /** Whether as much came back from swap as is told of the machine’s swap, or may have. */
  readonly isSwapping: boolean;
  /** What is no file’s: it can’t be dropped. undefined = not known. */
  readonly ownBytes: number | undefined;
  /** Threads of the job freed memory of the group for so long, all together. */
  readonly reclaimNs: number;
  readonly reclaimRows: readonly number[];
  /** What the threads that make batches read of disks; 0 = not known. */
  readonly readBytes: number;
  /** Whether most of that had been in memory before: only then would the reading end with the limit. */
  readonly isReadAgain: boolean;
  /** Whether most of what these and the training thread read had been there before. */
  readonly isReadAgainByLoop: boolean;
  /** Whether files are a good part of that. */
  readonly isOfFiles: boolean;
  /** Kernel’s work that is the limit’s: bits of kernelWork. */
  readonly work: number;
  /** Share of these threads' CPU time in which the kernel did such work; 0 = not known. */
  readonly cpuShare: number;
  /** The samples that show it: rows of cpu_sample. */
  readonly cpuRows: ReadonlySet<number>;
  /** Some task of the group waited for memory so much of the time, %; undefined = not known. */
  readonly pressure: MetricSamples | undefined;
  /** The samples that tell of it. */
  readonly samples: readonly MetricSamples[];
}

const MIB = 2 ** 20;
/** Of what was read: below it, most would have been read whatever the limit. Our own choice. */
const AGAIN_AT_LEAST = 0.5;
/** Of what comes back from swap: fewer bytes of files beside it are libraries and the like. Our own choice. */
const FILES_AT_LEAST = 0.1;
/** Fetched again in a second, where what was read in all is not known. Our own choice. */
const AGAIN_BYTES_PER_S = MIB;

/** As the agent names them: agent/src/host/cgroup/cgroup_metrics.c. */
const LIMIT = /^Control group memory limit \(MiB\)$/;
const HIGH = /^Control group memory\.high \(MiB\)$/;
const HITS = /^Control group memory limit hit \(times\/s\)$/;
const READ_AGAIN = /^Control group memory read again \(MiB\/s\)$/;
const SWAPPED_IN = /^Control group memory swapped in \(MiB\/s\)$/;
const SWAP = /^Control group swap \(MiB\)$/;
const PRESSURE = /^Control group memory pressure \(%\)$/;
const OWN = /^Control group memory without files \(MiB\)$/;

/** Undefined where there is none, or it had no effect. Worked out once per rank. */
export const reachedMemoryLimit = onceFor((facts: RankFacts) => facts, findLimit);

function findLimit(facts: RankFacts): MemoryLimit | undefined {
  const of = (metric: RegExp) => samplesOf(facts, metric, facts.window);
  const [hard, high] = [of(LIMIT), of(HIGH)];
  const limit = (hard?.mean ?? Infinity) <= (high?.mean ?? Infinity) ? hard : high;
  if (limit === undefined) return undefined;
  const [hits, readAgain, swappedIn, own] = [of(HITS), of(READ_AGAIN), of(SWAPPED_IN), of(OWN)];
  const { rows: reclaimRows, ns: reclaimNs } = reclaims(facts, 'group');
  // Only a group that had no room, or had to make some, was held back by its limit.
  if ((hits?.max ?? 0) === 0 && reclaimNs === 0) return undefined;
  const seconds = windowNs(facts) / 1e9;
  const bytesOf = (rate: MetricSamples | undefined) => (rate?.mean ?? 0) * MIB * seconds;
  const [readAgainBytes, swappedInBytes] = [bytesOf(readAgain), bytesOf(swappedIn)];
  const swapBytes = (of(SWAP)?.max ?? 0) * MIB;
  const isSwapApart = swappedIn !== undefined || swapBytes === 0;
  const readBytes = diskReads(facts).bytes;
  const isMuch = (bytes: number, ofAll: number) =>
    bytes > 0 && bytes >= (ofAll > 0 ? ofAll * AGAIN_AT_LEAST : AGAIN_BYTES_PER_S * seconds);
  const isReadAgain = isMuch(readAgainBytes + swappedInBytes, readBytes);
  const loopBytes = facts.workers.length === 0 ? 0 : bytesReadBy(facts, facts.rank.mainThread);
  const isSwapping = isMuch(isSwapApart ? swappedInBytes : readAgainBytes, 0);
  const isOfFiles =
    isReadAgain &&
    (!isSwapping || (isSwapApart && readAgainBytes >= swappedInBytes * FILES_AT_LEAST));
  const work = MAKES_ROOM | (isReadAgain ? READS : 0) | (isSwapping ? SWAPS_IN : 0);
  return {
    bytes: limit.mean * MIB,
    file: limit === hard ? 'memory.max' : 'memory.high',
    hardBytes: hard && hard.mean * MIB,
    hits: hits && Math.round(hits.mean * seconds),
    ...{ readAgainBytes, swappedInBytes, isSwapApart, swapBytes, isSwapping },
    isReadAgainByLoop: isMuch(readAgainBytes + swappedInBytes, readBytes + loopBytes),
    ...{ readBytes, isReadAgain, isOfFiles, work, ...cpuOf(facts, work) },
    ownBytes: own && own.mean * MIB,
    ...{ reclaimNs, reclaimRows },
    pressure: of(PRESSURE),
    samples: [limit, hits, readAgain, swappedIn].filter((samples) => samples !== undefined),
  };
}

function cpuOf(facts: RankFacts, work: number): Pick<MemoryLimit, 'cpuShare' | 'cpuRows'> {
  const rows = makersOf(facts).flatMap((thread) => [
    ...samplesWithin(facts.trace, thread, facts.window),
  ]);
  const cpuRows = new Set(samplesOfWork(facts, rows, work));
  return { cpuShare: workShare(cpuRows.size, rows.length), cpuRows };
}

/** How much of `all` samples show such work: 0 where that may be chance. */
export function workShare(seen: number, all: number): number {
  return seen < FEW_SAMPLES || all < SAMPLES_AT_LEAST ? 0 : seen / all;
}

/** Those of `rows` (of cpu_sample) that show the kernel at such work. */
export function samplesOfWork(
  { trace }: RankFacts,
  rows: readonly number[],
  work: number,
): number[] {
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  const marks = kernelWork(trace);
  return rows.filter((row) => (marks[stacks?.[row] ?? NONE] & work) !== 0);
}
