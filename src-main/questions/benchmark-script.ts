import { z } from 'zod';
import type { BenchmarkSeeds } from '../benchmark/benchmark-script.ts';
import type { Rank } from '../shared/answers/jobs.ts';
import { hasBatches, type Trace } from '../shared/model/trace.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

const NO_TRAINING =
  'Nothing in this trace shows that its job trains: the script measures a DataLoader, which it may not have.';

/** A Python script that measures the loader of the first rank again, with the numbers of this trace to try. */
export const benchmarkScript = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<{ readonly text: string; readonly note?: string }>(),
  errors: [],
  async answer({ trace }) {
    const { benchmarkScript } = await import('../benchmark/benchmark-script.ts');
    const { jobsOf } = await import('../analysis/jobs/job-index.ts');
    const ranks = jobsOf(trace).flatMap((job) => job.ranks);
    const loads = ({ process }: Rank) => hasBatches(trace.processes[process]?.role);
    const isDoubted = ranks.length > 0 && !ranks.some(loads);
    const text = benchmarkScript(await benchmarkSeeds(trace));
    return ok({ text, ...(isDoubted && { note: NO_TRAINING }) });
  },
});

/** What the benchmark starts from: the first rank's CPUs and workers, where the trace knows a job. */
async function benchmarkSeeds(trace: Trace): Promise<BenchmarkSeeds> {
  const { cpuFacts } = await import('../analysis/findings/facts/cpu-facts.ts');
  const { workersAtOnce } = await import('../analysis/findings/facts/job-shape.ts');
  const { jobsOf } = await import('../analysis/jobs/job-index.ts');
  const rank = jobsOf(trace).flatMap(({ ranks }) => ranks)[0];
  const [host, ...otherHosts] = trace.hosts;
  // Of several hosts nobody knows which one is meant.
  if (rank === undefined) return { usableCpus: otherHosts.length > 0 ? 0 : (host?.cpuCount ?? 0) };
  const { usable } = cpuFacts(trace, rank, [0, trace.meta.lengthNs]);
  const workers = workersAtOnce(rank);
  // A job without workers and one whose workers were not recorded look the same.
  return { usableCpus: usable, ...(workers > 0 && { workers }) };
}
