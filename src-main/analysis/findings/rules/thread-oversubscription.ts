import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { hostOfThread } from '../../../shared/model/hosts.ts';
import { syscallName } from '../../../shared/model/syscall-names.ts';
import type { Role, Trace } from '../../../shared/model/trace.ts';
import { formatCount, formatShare, plural } from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { stateTotals } from '../../threads/state-totals.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { placeOfHelpers, waitsForOwnThreads } from '../facts/helper-threads.ts';
import {
  isWorthTelling,
  loopText,
  shareText,
  workersAtOnce,
  workersOption,
} from '../facts/job-shape.ts';
import { pythonThreads } from '../facts/python-threads.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { pytorchIssue } from '../fixes/sources.ts';
import { completeSwitches, runQueue } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** A thread that wants a CPU for less of the time than this is no thread of a pool: queues, timers. */
const COMPUTING_SHARE = 0.05;
/** Of the CPU time that the job wanted, so much must be of threads beside one a process. */
const EXTRA_SHARE = 0.25;
/** Yields a second from which a pool spins instead of working: a waiting OpenMP thread makes thousands. */
const YIELD_STORM_PER_S = 1000;

/** More threads compute inside the workers or the training process than there are CPUs. */
export const threadOversubscription: Rule = {
  id: 'thread-oversubscription',
  needs: [completeSwitches, runQueue],
  judge,
};

/** Threads that hand batches over: each process has its own, whatever a library is told. */
const HANDING_OVER: ReadonlySet<Role> = new Set(['queue-feeder', 'resource-sharer', 'pin-memory']);

/** Threads of one process, and the CPU time they ran or were ready for. */
interface Pool {
  readonly generation: number;
  /** One is the process’s own, or those that make CUDA calls. */
  readonly extra: readonly number[];
  readonly computing: number;
  readonly wantedNs: number;
  readonly extraNs: number;
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, waitsForOwnThreads);
  const { usable } = facts.cpus;
  if (usable <= 0 || !isWorthTelling(facts, cost.ns)) return undefined;
  const pools = [mainPool(facts), ...facts.workers.map((worker) => workerPool(facts, worker))];
  const atOnce = threadsAtOnce(pools);
  const wantedNs = sum(pools, ({ wantedNs: ns }) => ns);
  const extraNs = sum(pools, ({ extraNs: ns }) => ns);
  if (atOnce <= usable || extraNs < wantedNs * EXTRA_SHARE) return undefined;
  const most = Math.max(...pools.map(({ computing }) => computing));
  const lost = shareText(facts, cost.ns);
  const extra = pools.flatMap((pool) => pool.extra);
  // Threads of the training process may be what makes its batches.
  const python = pools[0].extra.length > 0 ? undefined : pythonThreads(facts, extra);
  // Then it is their work that takes long, and slow-getitem tells it.
  if (python !== undefined && placeOfHelpers(facts) !== undefined) return undefined;
  const seen =
    python?.place === undefined
      ? ''
      : ` Most CPU samples of these threads were in ${python.place}.`;
  const many = evidence(
    `${plural(atOnce, 'thread')} of the job computed at a time on ${plural(usable, 'CPU')}, up to ${most} in one process`,
    'exact',
  );
  const beside = evidence(
    `Threads beside the first of each process took ${formatShare(extraNs, wantedNs)} of the CPU time that the job wanted`,
    'exact',
  );
  const waited = evidence(
    `${lost} in which ${loopText(facts)} was ready while other threads of the job ran`,
    'exact',
    cost.events,
  );
  return {
    title: 'Too many threads inside the processes',
    ...blames(python?.place),
    sentence: `${many.text}. They took the CPU from each other: ${loopText(facts)} waited ${lost} for one.${seen}`,
    confidence: 'likely',
    evidence: [
      many,
      beside,
      waited,
      ...yieldStorm(facts, pools),
      ...(python === undefined ? [] : [python.evidence]),
    ],
    hotThreads: extra,
    claims: waitsForOwnThreads,
    gain: { reach: 'waits' },
    fix: python === undefined ? nativeFix(facts) : pythonFix(facts),
    chain: {
      system: many,
      host: waited,
      cuda: evidence('Nothing was submitted to the GPU meanwhile', 'inferred', cost.events),
    },
  };
}

/** The threads are the job’s own: no setting of a library ends them. */
const loaderOf = (facts: RankFacts) =>
  `loader = DataLoader(YourDataset(), batch_size=your_batch_size, ${workersOption(facts)}, **your_options)`;

function pythonFix(facts: RankFacts): Fix {
  const dataset = (parts: string) => `class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
${parts}
        return your_sample(parts)

${loaderOf(facts)}`;
  return {
    title: 'Do without threads inside the workers',
    text: `These threads are the job’s own, of Python’s threading or of a ThreadPoolExecutor. Workers are processes, which run side by side already: each does best to work through the parts of a sample one after the other, and more workers use more CPUs. Threads inside a worker help where they wait, for a server or a disk.`,
    before: `from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import Dataset

${dataset(`        with ThreadPoolExecutor() as pool:
            parts = list(pool.map(your_read, your_parts_of(your_inputs[index])))`)}`,
    after: `from torch.utils.data import Dataset

${dataset('        parts = [your_read(part) for part in your_parts_of(your_inputs[index])]')}`,
    language: 'python',
    sources: [pytorchIssue(25010)],
  };
}

function nativeFix(facts: RankFacts): Fix {
  const workers = workersAtOnce(facts);
  const option = workersOption(facts);
  const enough =
    workers === 0
      ? ''
      : ` With ${plural(workers, 'worker')} on ${plural(facts.cpus.usable, 'CPU')} one thread each is enough.`;
  return {
    title: 'Give each worker one thread',
    text: `PyTorch limits its own threads in workers, not those of NumPy, OpenCV and others: their pools are as large as the machine. OMP_NUM_THREADS must be set before they are loaded, best where the job is started; OpenCV has \`cv2.setNumThreads(0)\`.${enough}`,
    before: loaderLine(option),
    after: `import os
os.environ["OMP_NUM_THREADS"] = "1"  # first of all, before NumPy is imported

def one_thread(worker_id):  # and what your own worker_init_fn does
    torch.set_num_threads(1)

${loaderLine(`${option}, worker_init_fn=one_thread`)}`,
    language: 'python',
    sources: [pytorchIssue(25010)],
  };
}

function mainPool({ trace, rank, window }: RankFacts): Pool {
  const threads = jobIndex(trace).threadsOf(rank.process);
  const isUsual = new Set([rank.mainThread, ...rank.cudaThreads, ...rank.pinThreads]);
  return poolOf(trace, threads, isUsual, window, -1);
}

function workerPool({ trace }: RankFacts, worker: RankFacts['workers'][number]): Pool {
  const { threads, mainThread, window, generation } = worker;
  return poolOf(trace, threads, new Set([mainThread]), window, generation);
}

function poolOf(
  trace: Trace,
  threads: readonly number[],
  isUsual: ReadonlySet<number>,
  [startNs, endNs]: TimeSpan,
  generation: number,
): Pool {
  let [wantedNs, extraNs, computing] = [0, 0, 0];
  const extra: number[] = [];
  for (const thread of threads) {
    const { runningNs, runnableNs } = stateTotals(trace, thread, startNs, endNs);
    const ns = runningNs + runnableNs;
    wantedNs += ns;
    if (ns < (endNs - startNs) * COMPUTING_SHARE) continue;
    if (HANDING_OVER.has(trace.threads[thread].role)) continue;
    computing += 1;
    if (isUsual.has(thread)) continue;
    extra.push(thread);
    extraNs += ns;
  }
  return { generation, extra, computing, wantedNs, extraNs };
}

/** Of the training process and of the generation of workers that has most. */
function threadsAtOnce(pools: readonly Pool[]): number {
  const byGeneration = new Map<number, number>();
  for (const { generation, computing } of pools)
    byGeneration.set(generation, (byGeneration.get(generation) ?? 0) + computing);
  const main = byGeneration.get(-1) ?? 0;
  byGeneration.delete(-1);
  return main + Math.max(0, ...byGeneration.values());
}

function yieldStorm(
  { trace, window: [startNs, endNs] }: RankFacts,
  pools: readonly Pool[],
): Evidence[] {
  const { syscall } = trace.tables.off_cpu.columns;
  if (syscall === undefined) return [];
  const found: number[] = [];
  for (const thread of pools.flatMap(({ extra }) => extra)) {
    const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
    const host = hostOfThread(trace, thread);
    const end = startsNs.lowerBound(endNs);
    for (let at = startsNs.lowerBound(startNs); at < end; at++)
      if (syscallName(syscall[rows[at]], host) === 'sched_yield') found.push(rows[at]);
  }
  const perSecond = found.length / ((endNs - startNs) / 1e9);
  if (perSecond < YIELD_STORM_PER_S) return [];
  const text = `They gave up the CPU ${formatCount(found.length)} times by sched_yield, to look again at once: ${formatCount(Math.round(perSecond))} a second`;
  return [evidence(text, 'exact', refsTo('off_cpu', found))];
}

function sum(pools: readonly Pool[], figure: (pool: Pool) => number): number {
  return pools.reduce((total, pool) => total + figure(pool), 0);
}
