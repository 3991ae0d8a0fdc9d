import type { RunEnvironment } from '../../shared/answers/run-environment.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { RankFacts } from '../findings/facts/facts.ts';
import { workersAtOnce } from '../findings/facts/job-shape.ts';
import { namesWorkers, ownLoadingRanges } from '../input/loader-ranges.ts';

const MAX_GPUS = 1024;
const MAX_WORD = 500;
/** What a GPU is called whose model the file does not tell. */
const NUMBERED = /^GPU \d+$/;

/** What the run of `facts` ran on; without facts nothing is known of its job. */
export function runEnvironment(
  trace: Trace,
  facts: RankFacts | undefined,
  steps: { readonly count: number; readonly h2dBytes: number | undefined },
): RunEnvironment {
  const process = facts && trace.processes[facts.rank.process];
  const host = trace.hosts[process?.host ?? 0] ?? {};
  const { cpuModel, memoryBytes, kernel, cudaVersion, pythonVersion } = host;
  const told = { cpuModel, memoryBytes, kernel, cudaVersion, pythonVersion };
  const { gpus, meta } = trace;
  return {
    gpus: gpus
      .filter(({ model }) => !NUMBERED.test(model))
      .map(({ model }) => word(model))
      .sort()
      .slice(0, MAX_GPUS),
    drivers: [...new Set(gpus.flatMap(({ driver }) => driver ?? []))].sort().map(word).slice(0, 8),
    ...cut(told),
    ...(meta.packages !== undefined && { packages: meta.packages }),
    ...(host.cpuCount !== undefined && { cpus: host.cpuCount }),
    ...(facts?.cpus.allowed !== undefined && { allowedCpus: facts.cpus.allowed }),
    ...(facts?.cpus.quota !== undefined && { cpuQuota: facts.cpus.quota }),
    ranks: facts?.allRanks.length ?? 0,
    ...(meta.batchSize !== undefined && { batchSize: meta.batchSize }),
    ...commandOf(process?.commandLine),
    ...(facts && jobOf(facts)),
    ...(steps.h2dBytes !== undefined && steps.count > 0
      ? { h2dBytesPerStep: steps.h2dBytes / steps.count }
      : {}),
    madeBy: madeBy(trace),
    recorder: word([meta.format, meta.recorder, switchesText(trace)].filter(Boolean).join(', ')),
  };
}

/** One recorder costs a job more by one way to record than by another: how it recorded switches tells them apart. */
function switchesText({ tables }: Trace): string {
  const { kind } = tables.off_cpu.provenance;
  if (kind === 'absent') return '';
  return kind === 'exact' || kind === 'partial' ? 'context switches' : `context switches ${kind}`;
}

function madeBy({ meta }: Trace): RunEnvironment['madeBy'] {
  if (meta.synthetic !== undefined) return 'synthetic';
  return meta.simulated !== undefined ? 'simulated' : 'capture';
}

function jobOf(facts: RankFacts) {
  const pinned = sum(facts.h2d.map(({ memory, bytes }) => (memory === 'pinned' ? bytes : 0)));
  const known = sum(facts.h2d.map(({ memory, bytes }) => (memory === 'unknown' ? 0 : bytes)));
  const states = [facts.main, ...facts.workers.map((worker) => worker.states)];
  const seenNs = sum(states.map(({ ns, unknownNs }) => ns - unknownNs));
  const others = facts.neighbours.filter(({ relation }) => relation === 'other');
  return {
    ...workersOf(facts),
    ...(known > 0 && { pinnedShare: pinned / known }),
    ...(seenNs > 0 && {
      othersShare: Math.min(1, sum(others.map(({ ns }) => ns)) / seenNs),
      throttledShare: sum(states.map(({ throttledNs }) => throttledNs)) / seenNs,
    }),
  };
}

/** A job without workers, and one whose workers were not recorded, both show none: only where something tells them apart it is 0. */
function workersOf(facts: RankFacts): Pick<RunEnvironment, 'workers' | 'someWorkers'> {
  const { trace, rank, window } = facts;
  const workers = workersAtOnce(facts);
  if (workers > 0) return { workers };
  if (namesWorkers(trace, rank, window)) return { someWorkers: true };
  const loadsItself = ownLoadingRanges(trace, rank, window).length > 0;
  return loadsItself || isAlone(facts) ? { workers: 0 } : {};
}

/** Whether every process that was started is known, and the rank has started none. */
function isAlone({ trace, rank }: RankFacts): boolean {
  const isComplete = trace.tables.process_event.provenance.kind === 'exact';
  const anyWorker = trace.processes.some(({ role }) => role === 'dataloader-worker');
  return isComplete && rank.processes.length === 1 && !anyWorker;
}

/** `--batch-size 64`, `--batch_size=64`, `-b 64`, `--per_device_train_batch_size 64`. */
const BATCH_SIZE =
  /(?<=^|\s)(?:-b|--?(?:[a-z]+[-_])*?(?:batch[-_]?size|bs|bsz))[ =](\d{1,9})(?=\s|$)/i;

function commandOf(commandLine: string | undefined): Pick<RunEnvironment, 'batchSize' | 'command'> {
  if (commandLine === undefined || commandLine === '') return {};
  const found = BATCH_SIZE.exec(commandLine);
  if (found === null) return { command: word(commandLine) };
  return { batchSize: Number(found[1]), command: word(commandLine.replace(BATCH_SIZE, '')) };
}

function word(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_WORD);
}

/** Without what is not known, its texts cut. */
function cut<T extends object>(told: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(told).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    known.map(([key, value]) => [key, typeof value === 'string' ? word(value) : value]),
  ) as never;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
