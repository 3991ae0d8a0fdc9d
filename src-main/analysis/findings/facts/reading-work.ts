import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { codeOf, cpuModes } from '../../../shared/model/codes.ts';
import { formatCount } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import { diskWaitsOf } from './awaited-files.ts';
import { evidence, refsTo } from './evidence.ts';
import type { RankFacts } from './facts.ts';
import { itemParts } from './item-parts.ts';
import {
  DOMINANT_SHARE,
  loaderSamples,
  makersOf,
  production,
  SAMPLES_AT_LEAST,
} from './loader-work.ts';

/** What reading took the threads that make batches on a CPU, beside waiting for the disk. */
export interface ReadingWork {
  /** Rows of cpu_sample: the kernel’s, in the dataset’s own code. */
  readonly rows: readonly number[];
  /** How much that was. */
  readonly text: string;
  /** `97.0 % were in Files.__getitem__ (data.py:24) → …`; undefined where stacks don’t tell. */
  readonly parts: string | undefined;
}

/**
 * What the kernel takes to find, open and read a file, or to take in a page, waiting apart: 25 to 45 µs measured on a virtual disk,
 * recorder included. What takes more is something else that the kernel does. Our own choice.
 */
const WORK_OF_A_READ_NS = 100_000;

/**
 * Most of the making of batches on a CPU was the kernel’s work in the dataset’s own code, and no more of it than so many
 * waits for disks account for; undefined where it was not, or where that is not known. Counted once per rank.
 */
export const readingWork = onceFor((facts: RankFacts) => facts, findWork);

function findWork(facts: RankFacts): ReadingWork | undefined {
  const { trace, workers } = facts;
  if (workers.length === 0) return undefined;
  const { mode } = trace.tables.cpu_sample.columns;
  const { byStage, count } = loaderSamples(facts);
  const rows = byStage.item.filter((row) => mode?.[row] === codeOf(cpuModes, 'kernel'));
  if (count < SAMPLES_AT_LEAST || rows.length < count * DOMINANT_SHARE) return undefined;
  const waits = makersOf(facts).reduce((sum, thread) => sum + diskWaitsOf(facts, thread).length, 0);
  const kernelNs = (production(facts).byCause.running * rows.length) / count;
  if (kernelNs > waits * WORK_OF_A_READ_NS) return undefined;
  const text = `${formatCount(rows.length)} of ${formatCount(count)} CPU samples of making batches were of the kernel in the dataset’s own code: opening and reading`;
  return { rows, text, parts: itemParts(trace, rows) };
}

export function readingEvidence({ text, rows }: ReadingWork): Evidence {
  return evidence(text, 'inferred', refsTo('cpu_sample', rows));
}

/** ` Of the CPU samples of reading, 92.9 % were in ….`: where the dataset reads. */
export function readingPlaceText(work: ReadingWork | undefined): string {
  return work?.parts === undefined ? '' : ` Of the CPU samples of reading, ${work.parts}.`;
}
