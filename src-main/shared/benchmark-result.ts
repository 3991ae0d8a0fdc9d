import { z } from 'zod';
import { fail, ok, type Result } from './result.ts';

/** What the benchmark script writes: throughput of one dataset with several settings of its loader. */

/** Larger results are not the script’s: it writes a few KB. */
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_CONFIGURATIONS = 200;

const count = z.number().int().nonnegative().max(1e6);
const rate = z.number().nonnegative().max(1e12);

const measured = {
  /** Samples a second: the middle of the repeats, the lowest and the highest. */
  medianPerSecond: rate,
  minPerSecond: rate,
  maxPerSecond: rate,
  repeats: count.min(1),
  /** Batches of one repeat. */
  batches: count.min(1),
} as const;

const configuration = z.object({
  workers: count,
  pinMemory: z.boolean(),
  persistentWorkers: z.boolean(),
});

const benchmarkResult = z.object({
  format: z.literal('stalltrace-benchmark'),
  version: z.literal(1),
  dataset: z.string().max(1_000),
  batchSize: count.min(1),
  cpus: count,
  torch: z.string().max(100),
  /** The GPU’s name; absent where CUDA could not be used and batches stayed on the host. */
  device: z.string().max(200).optional(),
  /** The same number of batches of the same shape, made once: what the loop does without loading. */
  synthetic: z.object(measured),
  real: z.array(configuration.extend(measured)).max(MAX_CONFIGURATIONS),
  /** Settings that failed, with the error’s text. */
  failed: z.array(configuration.extend({ error: z.string().max(2_000) })).max(MAX_CONFIGURATIONS),
  /** Settings that the time limit left out. */
  leftOut: count,
});
export type BenchmarkResult = z.infer<typeof benchmarkResult>;

/** Reads a result that somebody gave us; the text may be anything. */
export function parseBenchmarkResult(text: string): Result<BenchmarkResult, 'not-a-benchmark'> {
  if (text.length > MAX_TEXT_LENGTH) return notOne('The file is too large.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notOne('The file is not JSON.');
  }
  const parsed = benchmarkResult.safeParse(value);
  return parsed.success ? ok(parsed.data) : notOne(firstProblem(parsed.error));
}

/** The setting with most samples a second; undefined where none was measured. */
export function bestConfiguration({ real }: BenchmarkResult) {
  return real.toSorted((a, b) => b.medianPerSecond - a.medianPerSecond).at(0);
}

function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined
    ? 'It is not a result of the benchmark.'
    : `${issue.path.join('.') || 'The file'}: ${issue.message}`.slice(0, 300);
}

function notOne(detail: string): Result<never, 'not-a-benchmark'> {
  return fail('not-a-benchmark', 'This is not a result of the benchmark script.', detail);
}
