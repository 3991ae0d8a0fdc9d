import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { diskReads } from './disk-reads.ts';
import type { RankFacts } from './facts.ts';
import { windowNs } from './job-shape.ts';
import { kernelWork, MAKES_ROOM, READS } from './kernel-work.ts';
import { makersOf, SAMPLES_AT_LEAST } from './loader-work.ts';
import { type MetricSamples, samplesOf } from './machine-samples.ts';
import { reclaims } from './reclaims.ts';

/** A limit of memory that the job’s control group ran into within the window. */
export interface MemoryLimit {
  readonly bytes: number;
  /** Of version 2 that from which on the group is slowed down, not the hard one. */
  readonly file: 'memory.max' | 'memory.high';
  /** How often there was no room; undefined = not known. */
  readonly hits: number | undefined;
  /** What had been dropped for lack of room and was read again. */
  readonly readAgainBytes: number;
  /** What is no file’s: it can’t be dropped. undefined = not known. */
  readonly ownBytes: number | undefined;
  /** Threads of the job freed memory of the group for so long, all together. */
  readonly reclaimNs: number;
  readonly reclaimRows: readonly number[];
  /** What the threads that make batches read of disks; 0 = not known. */
  readonly readBytes: number;
  /** Whether most of that is read again: only then would the reading end with the limit. */
  readonly isReadAgain: boolean;
  /** Share of these threads' CPU time in which the kernel made room, or read what it had dropped; 0 = not known. */
  readonly cpuShare: number;
  /** The samples that show it: rows of cpu_sample. */
  readonly cpuRows: ReadonlySet<number>;
  /** The samples that tell of it. */
  readonly samples: readonly MetricSamples[];
}

const MIB = 2 ** 20;
/** Of what was read: below it, most would have been read whatever the limit. Our own choice. */
const AGAIN_AT_LEAST = 0.5;
/** Read again in a second, where what was read in all is not known. Our own choice. */
const AGAIN_BYTES_PER_S = MIB;

/** As the agent names them: agent/src/host/cgroup/cgroup_metrics.c. */
const LIMIT = /^Control group memory limit \(MiB\)$/;
const HIGH = /^Control group memory\.high \(MiB\)$/;
const HITS = /^Control group memory limit hit \(times\/s\)$/;
const READ_AGAIN = /^Control group memory read again \(MiB\/s\)$/;
const OWN = /^Control group memory without files \(MiB\)$/;

/** Undefined where there is none, or it had no effect. Worked out once per rank. */
export const reachedMemoryLimit = onceFor((facts: RankFacts) => facts, findLimit);

function findLimit(facts: RankFacts): MemoryLimit | undefined {
  const of = (metric: RegExp) => samplesOf(facts, metric, facts.window);
  const [hard, high] = [of(LIMIT), of(HIGH)];
  const limit = (hard?.mean ?? Infinity) <= (high?.mean ?? Infinity) ? hard : high;
  if (limit === undefined) return undefined;
  const [hits, readAgain, own] = [of(HITS), of(READ_AGAIN), of(OWN)];
  const { rows: reclaimRows, ns: reclaimNs } = reclaims(facts, 'group');
  // Only a group that had no room, or had to make some, was held back by its limit.
  if ((hits?.max ?? 0) === 0 && reclaimNs === 0) return undefined;
  const seconds = windowNs(facts) / 1e9;
  const readAgainBytes = (readAgain?.mean ?? 0) * MIB * seconds;
  const readBytes = diskReads(facts).bytes;
  const atLeast = readBytes > 0 ? readBytes * AGAIN_AT_LEAST : AGAIN_BYTES_PER_S * seconds;
  const isReadAgain = readAgainBytes > 0 && readAgainBytes >= atLeast;
  return {
    bytes: limit.mean * MIB,
    file: limit === hard ? 'memory.max' : 'memory.high',
    hits: hits && Math.round(hits.mean * seconds),
    ...{ readAgainBytes, readBytes, isReadAgain, ...cpuOf(facts, isReadAgain) },
    ownBytes: own && own.mean * MIB,
    reclaimNs,
    reclaimRows,
    samples: [limit, hits, readAgain].filter((samples) => samples !== undefined),
  };
}

function cpuOf(facts: RankFacts, isReadAgain: boolean): Pick<MemoryLimit, 'cpuShare' | 'cpuRows'> {
  const { trace, window } = facts;
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  const marks = kernelWork(trace);
  const wanted = isReadAgain ? MAKES_ROOM | READS : MAKES_ROOM;
  const cpuRows = new Set<number>();
  let count = 0;
  for (const thread of makersOf(facts))
    for (const row of samplesWithin(trace, thread, window)) {
      count++;
      if (marks[stacks?.[row] ?? NONE] & wanted) cpuRows.add(row);
    }
  return { cpuShare: count < SAMPLES_AT_LEAST ? 0 : cpuRows.size / count, cpuRows };
}
