import type { WorkerGeneration } from '../../../shared/answers/jobs.ts';
import { type Phase, type PhaseSplit, phases } from '../../../shared/answers/steps.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { type CycleCause, cycleCauses } from '../../../shared/answers/wait-chain.ts';
import { noEvents } from '../../../shared/model/event-ref.ts';
import { noEvaluation } from '../../host/evaluation-runs.ts';
import { hostGrowthIn } from '../../host/host-growth.ts';
import { hostTimeOf } from '../../host/host-time.ts';
import { repeatsIn, rowsRepeatIn } from '../../host/repeats.ts';
import { emptySpans, type Spans } from '../../index/spans.ts';
import { buildTrace, type TracePlan } from '../../testing/build-trace.ts';
import type { StateTotals } from '../../threads/state-totals.ts';
import type { CostCause, CostCell, RankFacts, WorkerFacts } from '../facts/facts.ts';

/** Facts of one rank for tests of rules: a healthy, compute-bound job where nothing else is said. */

export const MS = 1e6;
export const SECOND = 1e9;

/** A cost cell of one stretch; `[phase, whose, cause, ns]`, all of it starved unless said. */
export function cell(
  phase: Phase,
  whose: CostCell['whose'],
  cause: CostCause,
  ns: number,
  more: Partial<CostCell> = {},
): CostCell {
  return {
    phase,
    whose,
    cause,
    ns,
    starvedNs: phase === 'compute' ? 0 : ns,
    hiddenNs: -1,
    spans: [[0, ns]],
    spanNs: [ns],
    spanCount: 1,
    count: 1,
    events: noEvents,
    ...more,
  };
}

/** State totals of what is named; `ns` is their sum and the rest of the figures are 0. */
function totals(parts: Partial<StateTotals> = {}): StateTotals {
  const states = {
    runningNs: 0,
    runnableNs: 0,
    throttledNs: 0,
    sleepingNs: 0,
    diskNs: 0,
    otherBlockedNs: 0,
    unknownNs: 0,
    switches: 0,
    preemptions: 0,
    minorFaults: 0,
    majorFaults: 0,
    ...parts,
  };
  const { runningNs, runnableNs, sleepingNs, diskNs, otherBlockedNs, unknownNs } = states;
  const ns = runningNs + runnableNs + sleepingNs + diskNs + otherBlockedNs + unknownNs;
  return { ns, ...states };
}

interface WorkerPlan extends Partial<Omit<WorkerFacts, 'states' | 'cycles'>> {
  readonly states?: Partial<StateTotals>;
  readonly cycles?: Partial<Record<CycleCause, number>>;
}

export interface FactsPlan extends Partial<Omit<RankFacts, 'trace' | 'main' | 'workers' | 'rank'>> {
  readonly trace?: TracePlan;
  readonly main?: Partial<StateTotals>;
  readonly unprovenNs?: number;
  /** Worker n is process n + 1 with thread n + 1; generation 0 unless said. */
  readonly workers?: readonly WorkerPlan[];
  readonly rank?: Partial<RankFacts['rank']>;
  /** Whether all host time lies between a batch's arrival and its copy. */
  readonly isPreparing?: boolean;
}

/** Facts over a window of 10 s unless said. What the costs leave of it is compute, waiting for the GPU. */
export function buildFacts(plan: FactsPlan = {}): RankFacts {
  const { trace: tracePlan, main, workers: plans, rank: rankPlan, isPreparing, ...given } = plan;
  const window = given.window ?? [0, 10 * SECOND];
  const lengthNs = window[1] - window[0];
  const workers = (plans ?? []).map((worker, at) => workerFacts(worker, at, window));
  const costs = filled(given.costs ?? [], lengthNs);
  const split = given.split ?? splitOf(costs);
  const generations = given.generations ?? generationsOf(workers);
  const rank: RankFacts['rank'] = {
    process: 0,
    label: 'pid 100',
    mainThread: 0,
    cudaThreads: [0],
    pinThreads: [],
    generations,
    processes: [0, ...workers.map(({ process }) => process)],
    ...rankPlan,
  };
  const steps = {
    basis: 'signature' as const,
    note: '',
    count: 100,
    window,
    total: split,
    steps: [],
    inputNote: '',
  };
  const trace = traceOf(tracePlan, workers);
  const hostTime = given.hostTime ?? emptySpans;
  const host = hostTimeOf(trace, rank, {
    ...hostTime,
    window,
    isPreparing: Uint8Array.from(hostTime.startsNs, () => (isPreparing === true ? 1 : 0)),
    isEvaluating: new Uint8Array(hostTime.startsNs.length),
  });
  const repeats = repeatsIn(evenSteps(window), () => hostTime, host);
  const starvedNs = costs.reduce((sum, { starvedNs: ns }) => sum + Math.max(0, ns), 0);
  return {
    index: 0,
    job: 0,
    allRanks: [rank],
    siblings: [],
    unprovenNs: 0,
    steps,
    starvation: {
      basis: 'bound',
      note: '',
      idleNs: starvedNs,
      busyNs: lengthNs - starvedNs,
      unknownNs: 0,
      longest: [],
    },
    cpus: { machine: 16, usable: 16, idleShare: 0.5, basis: 'test' },
    h2d: [],
    ahead: 0,
    neighbours: [],
    hotLines: () => [],
    evaluations: noEvaluation,
    ...given,
    hostTime,
    host,
    repeats,
    hostGrowth: hostGrowthIn(evenSteps(window), () => hostTime, host, repeats),
    rowsRepeat: rowsRepeatIn(evenSteps(window)),
    rank,
    window,
    split,
    inputKnown: true,
    costs,
    generations,
    workers,
    main: totals({ runningNs: lengthNs, ...main }),
    trace,
  };
}

/** 100 steps of one length. */
function evenSteps([startNs, endNs]: TimeSpan): Spans {
  const each = (endNs - startNs) / 100;
  const startsNs = Float64Array.from({ length: 100 }, (_, at) => startNs + at * each);
  return { startsNs, endsNs: startsNs.map((ns) => ns + each) };
}

function workerFacts(plan: WorkerPlan, at: number, window: TimeSpan): WorkerFacts {
  return {
    process: at + 1,
    mainThread: at + 1,
    threads: [at + 1],
    number: at,
    generation: 0,
    window,
    batches: 50,
    ...plan,
    states: totals(plan.states),
    cycles: {
      ...(Object.fromEntries(cycleCauses.map((cause) => [cause, 0])) as Record<CycleCause, number>),
      ...plan.cycles,
    },
  };
}

function filled(costs: readonly CostCell[], lengthNs: number): CostCell[] {
  const restNs = lengthNs - costs.reduce((sum, { ns }) => sum + ns, 0);
  return restNs > 0 ? [...costs, cell('compute', 'main', 'device', restNs)] : [...costs];
}

function splitOf(costs: readonly CostCell[]): PhaseSplit {
  const split = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>;
  for (const { phase, ns } of costs) split[phase] += ns;
  return split;
}

function generationsOf(workers: readonly WorkerFacts[]): WorkerGeneration[] {
  const count = workers.reduce((most, { generation }) => Math.max(most, generation + 1), 0);
  return Array.from({ length: count }, (_, number) => {
    const own = workers.filter(({ generation }) => generation === number);
    return {
      workers: own.map(({ process }) => process),
      startNs: Math.min(...own.map(({ window }) => window[0])),
      endNs: Math.max(...own.map(({ window }) => window[1])),
      loader: 0,
    };
  });
}

/** The plan's trace, with processes and threads for the main process and the workers where it names none. */
function traceOf(plan: TracePlan = {}, workers: readonly WorkerFacts[]) {
  const last = workers.reduce((most, { process }) => Math.max(most, process), 0);
  const numbers = Array.from({ length: last + 1 }, (_, at) => at);
  return buildTrace({
    processes: numbers.map((at) => ({
      pid: 100 + at,
      name: 'python3',
      parent: at === 0 ? -1 : 0,
      role: at === 0 ? 'main' : 'dataloader-worker',
    })),
    threads: numbers.map((at) => ({
      tid: 100 + at,
      process: at,
      name: 'python3',
      role: at === 0 ? 'main' : 'dataloader-worker',
    })),
    lengthNs: 10 * SECOND,
    ...plan,
  });
}
