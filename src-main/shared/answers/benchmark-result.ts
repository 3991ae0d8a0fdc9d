import { z } from 'zod';
import { fail, ok, type Result } from '../rpc/result.ts';
import { cleanText } from '../text/text.ts';

/** What the benchmark script writes: throughput of one dataset with several settings of its loader. */

/** Larger results are not the script’s: it writes a few KB. */
export const MAX_BENCHMARK_LENGTH = 1_000_000;
const MAX_CONFIGURATIONS = 200;

const count = z.number().int().nonnegative().max(1e6);
/** Whoever made the file may have written anything: it is read by people. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .transform((written) => cleanText(written, maxLength));
const rate = z.number().nonnegative().max(1e12);

const measured = z.object({
  /** Samples a second: the middle of the repeats, the lowest and the highest. */
  medianPerSecond: rate,
  minPerSecond: rate,
  maxPerSecond: rate,
  repeats: count.min(1),
  /** Batches of one repeat. */
  batches: count.min(1),
});

const isOrdered = ({ minPerSecond, medianPerSecond, maxPerSecond }: z.infer<typeof measured>) =>
  minPerSecond <= medianPerSecond && medianPerSecond <= maxPerSecond;
const DISORDER = 'the median is not between the lowest and the highest';

const configuration = z.object({
  workers: count,
  pinMemory: z.boolean(),
  persistentWorkers: z.boolean(),
});

const benchmarkResult = z.object({
  format: z.literal('stalltrace-benchmark'),
  version: z.literal(1),
  dataset: text(1_000),
  batchSize: count.min(1),
  cpus: count,
  torch: text(100),
  /** The GPU’s name; absent where CUDA could not be used and batches stayed on the host. */
  device: text(200).optional(),
  /** The setting of the job; a recording tells the workers only. Absent where nobody knew. */
  current: configuration.partial({ pinMemory: true, persistentWorkers: true }).optional(),
  /** The same number of batches of the same shape, made once: what the loop does without loading. */
  synthetic: measured.refine(isOrdered, DISORDER),
  real: z
    .array(configuration.extend(measured.shape).refine(isOrdered, DISORDER))
    .max(MAX_CONFIGURATIONS),
  /** Settings that failed, with the error’s text. */
  failed: z.array(configuration.extend({ error: text(2_000) })).max(MAX_CONFIGURATIONS),
  /** Settings that the time limit left out. */
  leftOut: count,
});
export type BenchmarkResult = z.infer<typeof benchmarkResult>;
export type MeasuredSetting = BenchmarkResult['real'][number];

/** A result that was opened, and where it came from. */
export interface BenchmarkFile {
  readonly fileName: string;
  readonly result: BenchmarkResult;
}

/** Whether a text says of itself that it is a result, well made or not: of a large file its begin is enough. */
export function claimsBenchmark(text: string): boolean {
  return /^\s*\{/.test(text) && /"format"\s*:\s*"stalltrace-benchmark"/.test(text);
}

/** Reads a result that somebody gave us; the text may be anything. */
export function parseBenchmarkResult(
  text: string,
  fileName: string,
): Result<BenchmarkResult, 'beside-damaged'> {
  const notOne = (why: string) =>
    fail(
      'beside-damaged',
      `“${fileName}” is damaged: ${why}. Run the benchmark script again, or open the file it wrote.`,
    );
  if (text.length > MAX_BENCHMARK_LENGTH) return notOne('it is too large for a result');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notOne('it is not JSON');
  }
  const parsed = benchmarkResult.safeParse(value);
  return parsed.success ? ok(parsed.data) : notOne(firstProblem(parsed.error));
}

/** The setting with most samples a second; undefined where none was measured. */
export function bestConfiguration({ real }: Pick<BenchmarkResult, 'real'>) {
  return real.toSorted((a, b) => b.medianPerSecond - a.medianPerSecond).at(0);
}

/**
 * The current setting as it was measured. Where only its workers are known, the fastest that may be it:
 * what is gained over it is then gained at least.
 */
export function currentConfiguration({ current, real }: BenchmarkResult) {
  if (current === undefined) return undefined;
  const { workers, pinMemory, persistentWorkers } = current;
  return real
    .filter(
      (one) =>
        one.workers === workers &&
        (pinMemory === undefined || one.pinMemory === pinMemory) &&
        (workers === 0 ||
          persistentWorkers === undefined ||
          one.persistentWorkers === persistentWorkers),
    )
    .toSorted((a, b) => b.medianPerSecond - a.medianPerSecond)
    .at(0);
}

function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined
    ? 'it is no result'
    : `“${issue.path.join('.')}” is wrong (${issue.message})`.slice(0, 300);
}
