import { cpuFacts } from '../../analysis/findings/facts/cpu-facts.ts';
import { workersAtOnce } from '../../analysis/findings/facts/job-shape.ts';
import { jobsOf } from '../../analysis/jobs/job-index.ts';
import type { BenchmarkSeeds } from '../../benchmark/benchmark-script.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What the benchmark starts from: the first rank's CPUs and workers, where the trace knows a job. */
export function benchmarkSeeds(trace: Trace): BenchmarkSeeds {
  const rank = jobsOf(trace).flatMap(({ ranks }) => ranks)[0];
  if (rank === undefined) return { usableCpus: trace.machine.cpuCount ?? 0 };
  const { usable } = cpuFacts(trace, rank, [0, trace.meta.lengthNs]);
  const workers = workersAtOnce(rank);
  // A job without workers and one whose workers were not recorded look the same.
  return { usableCpus: usable, ...(workers > 0 && { workers }) };
}
