import type { Basis } from '../../shared/answers/basis.ts';
import type { Clue, RankDiagnosis } from '../../shared/answers/diagnosis.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import { hostOfSample } from '../../shared/model/hosts.ts';
import type { Trace } from '../../shared/model/trace.ts';
import {
  formatCount,
  formatDuration,
  formatShare,
  NARROW_NO_BREAK_SPACE,
  plural,
} from '../../shared/text/units.ts';
import { idleByText } from '../../shared/words/gpu-time-words.ts';
import { traceIndex } from '../index/trace-index.ts';
import { summedOps, timeText } from '../steps/summed-calls.ts';
import { MAX_IDLE_SHARE } from '../steps/verdict-input.ts';
import { refsTo } from './facts/evidence.ts';

/** Fewer switches a worker are no sign of anything. Our own choice. */
const MANY_SWITCHES = 1_000;
/** A worker that is away for less may just be loading. Our own choice. */
const LONG_NS = 1e9;
/** All CPUs at work from here on, and in how many samples that is worth telling. Our own choices. */
const BUSY_PERCENT = 95;
const BUSY_SAMPLES = 3;
/** PyTorch's workers look around after so long without work (MP_STATUS_CHECK_INTERVAL). */
const LOADER_POLL_NS = 5e9;
const POLL_TOLERANCE = 0.01;

type ToldOfRank = Pick<RankDiagnosis, 'rank' | 'steps' | 'starvation' | 'inputKnown'>;

/** What points at a cause where none is proven, the strongest first. Each is what the file holds, not why it was so. */
export function strongestClues(trace: Trace, told: ToldOfRank): Clue[] {
  const { rank } = told;
  return [
    busyCpus(trace, rank),
    ...workerClues(trace, rank),
    idleGpu(told),
    heaviestOperation(trace, rank),
  ].filter((clue) => clue !== undefined);
}

/** Every CPU at work leaves none for whoever becomes ready. */
function busyCpus(trace: Trace, rank: Rank): Clue | undefined {
  const host = trace.processes[rank.process]?.host ?? 0;
  const { columns, rows } = trace.tables.sample;
  const found: number[] = [];
  let busy = 0;
  for (let row = 0; row < rows; row++) {
    const isCpu = trace.names[columns.metric[row]] === 'CPU (%)';
    if (!isCpu || hostOfSample(trace, row) !== host) continue;
    found.push(row);
    if (columns.value[row] >= BUSY_PERCENT) busy += 1;
  }
  if (busy < BUSY_SAMPLES) return undefined;
  found.sort((a, b) => columns.value[b] - columns.value[a]);
  const { cpuCount } = trace.hosts[host] ?? {};
  const cpus = cpuCount === undefined ? 'All CPUs' : `All ${plural(cpuCount, 'CPU')}`;
  return {
    text: `${cpus} were busy in ${formatCount(busy)} of ${plural(found.length, 'sample')}`,
    detail: `These show ${BUSY_PERCENT}${NARROW_NO_BREAK_SPACE}% or more. Who waited for a CPU meanwhile is not in this file.`,
    basis: 'aggregated',
    events: refsTo('sample', found.slice(0, busy)),
  };
}

function workerClues(trace: Trace, rank: Rank): (Clue | undefined)[] {
  const activity = traceIndex(trace).activity();
  const workers = rank.processes
    .filter((process) => trace.processes[process]?.role === 'dataloader-worker')
    .map((process) => {
      const threads = trace.threads.flatMap((thread, at) => (thread.process === process ? at : []));
      const sum = (values: Float64Array) => threads.reduce((all, at) => all + values[at], 0);
      const longestNs = threads.reduce(
        (most, at) => Math.max(most, activity.longestOffCpuNs[at]),
        0,
      );
      return { pid: trace.processes[process].pid, switches: sum(activity.switches), longestNs };
    });
  const basis: Basis = trace.tables.off_cpu.provenance.kind === 'exact' ? 'exact' : 'aggregated';
  return [switchesClue(workers, basis), stallClue(workers, basis)];
}

interface Worker {
  readonly pid: number;
  readonly switches: number;
  readonly longestNs: number;
}

function switchesClue(workers: readonly Worker[], basis: Basis): Clue | undefined {
  const counts = workers.map(({ switches }) => switches).sort((a, b) => a - b);
  const sum = counts.reduce((all, count) => all + count, 0);
  const [least = 0] = counts;
  const most = counts.at(-1) ?? 0;
  if (most < MANY_SWITCHES) return undefined;
  const each =
    counts.length === 1 ? '' : `${formatCount(least)} to ${formatCount(most)} times each. `;
  return {
    text: `${plural(workers.length, 'DataLoader worker')} left the CPU ${plural(sum, 'time')}`,
    detail: `${each}A thread that leaves the CPU so often waits for a CPU, a lock or a queue; which of them is not in this file.`,
    basis,
    events: { shown: [], count: 0 },
  };
}

function stallClue(workers: readonly Worker[], basis: Basis): Clue | undefined {
  const [worst] = workers.toSorted((a, b) => b.longestNs - a.longestNs);
  if (worst === undefined || worst.longestNs < LONG_NS) return undefined;
  const isPoll = Math.abs(worst.longestNs / LOADER_POLL_NS - 1) < POLL_TOLERANCE;
  return {
    text: `DataLoader worker pid ${worst.pid} stood still for ${formatDuration(worst.longestNs)}`,
    detail: isPoll
      ? 'PyTorch’s workers wait that long for work before they check again: this one may have had none.'
      : 'Why it did not run is not in this file.',
    basis,
    events: { shown: [], count: 0 },
  };
}

/** By its own records, and what the loop did meanwhile: that is not yet why. */
function idleGpu({ steps, starvation, inputKnown }: ToldOfRank): Clue | undefined {
  const time = starvation.recorded?.all;
  const lengthNs = steps.window[1] - steps.window[0];
  // Of a selection no shares are told.
  if (steps.isSelection || time === undefined || !(time.idleNs >= MAX_IDLE_SHARE * lengthNs))
    return undefined;
  const meanwhile = idleByText(time, lengthNs, inputKnown);
  if (meanwhile === '') return undefined;
  return {
    text: `The GPU has nothing to do for ${formatShare(time.idleNs, lengthNs)} of the time`,
    detail: `${meanwhile}. Why it took so long is not in this file.`,
    basis: starvation.basis === 'exact' ? 'exact' : 'inferred',
    events: { shown: [], count: 0 },
  };
}

function heaviestOperation(trace: Trace, rank: Rank): Clue | undefined {
  const ops = summedOps(trace, rank.process);
  const totalNs = ops.reduce((all, op) => all + op.totalNs, 0);
  const [first] = ops;
  if (first === undefined || totalNs === 0) return undefined;
  const isAtLeast = ops.some((op) => op.isAtLeast);
  const longest = first.maxNs > 0 ? `, the longest ${formatDuration(first.maxNs)}` : '';
  // Of a selection no shares are told: times only.
  return {
    text: `CUDA calls took ${timeText(totalNs, isAtLeast)}, ${timeText(first.totalNs, first.isAtLeast)} of it in ${first.name}`,
    detail: `In ${plural(first.count, 'call')}${longest}.`,
    basis: first.rows === first.count ? 'exact' : 'aggregated',
    events: { shown: [], count: 0 },
  };
}
