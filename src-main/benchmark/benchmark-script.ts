import { scriptTemplate } from './script-template.ts';

/** What a recording says of the job that is to be measured again. */
export interface BenchmarkSeeds {
  /** CPUs that the job may use, quota and affinity respected; 0 = not known. */
  readonly usableCpus: number;
  /** DataLoader workers it had at one time; absent where it is not known to have had a loader. */
  readonly workers?: number;
}

/** A machine with more CPUs is not tried out beyond: each worker is a whole interpreter. */
const MAX_WORKERS = 64;
/** Where advice on a first try ends, by “How to Debug Slow PyTorch Dataloaders”. */
const FIRST_TRY_AT_MOST = 8;

/** The benchmark as one Python file, with the numbers of workers to try from the recording. */
export function benchmarkScript(seeds: BenchmarkSeeds): string {
  const values: Readonly<Record<string, string>> = {
    '@WORKERS@': JSON.stringify(workersToTry(seeds)),
    '@RECORDED@': seeds.workers === undefined ? 'None' : String(workersWithin(seeds.workers)),
  };
  return scriptTemplate.replace(/@[A-Z]+@/g, (name) => values[name] ?? name);
}

/** None, few, as many as there are CPUs but one, and what the job had with its neighbours. */
export function workersToTry({ usableCpus, workers }: BenchmarkSeeds): number[] {
  const cpus = Math.floor(usableCpus);
  const fromCpus = cpus > 0 ? [cpus - 1, cpus, Math.floor(cpus / 2)] : [4];
  const fromJob = workers === undefined ? [] : [workers, Math.floor(workers / 2)];
  const few = [0, 1, 2].concat(cpus > FIRST_TRY_AT_MOST ? [FIRST_TRY_AT_MOST] : []);
  const all = [...few, ...fromCpus, ...fromJob].map(workersWithin);
  return [...new Set(all)].sort((a, b) => a - b);
}

function workersWithin(count: number): number {
  return Number.isFinite(count) ? Math.min(MAX_WORKERS, Math.max(0, Math.floor(count))) : 0;
}
