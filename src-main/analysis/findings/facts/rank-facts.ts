import type { Job, Rank, ThreadLabel } from '../../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { cycleCauses } from '../../../shared/answers/wait-chain.ts';
import { hostClocks } from '../../../shared/model/clocks.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { untilCollected } from '../../../shared/until-collected.ts';
import { causesOfWorker } from '../../chain/cycle-causes.ts';
import { idleSpans, productionCycles } from '../../chain/production-cycles.ts';
import { evaluationRuns } from '../../host/evaluation-runs.ts';
import { hostGrowthIn } from '../../host/host-growth.ts';
import { hostStretches } from '../../host/host-stretches.ts';
import { hostTimeOf } from '../../host/host-time.ts';
import { repeatsIn, rowsRepeatIn } from '../../host/repeats.ts';
import type { Spans } from '../../index/spans.ts';
import { countCudaCalls } from '../../jobs/cuda-threads.ts';
import { firstThreadOf, jobIndex } from '../../jobs/job-index.ts';
import { PHASE } from '../../loop/phase-list.ts';
import type { RankTime } from '../../ranks/lateness.ts';
import { hotLines } from '../../stacks/hot-lines.ts';
import { h2dGroups } from '../../steps/h2d-groups.ts';
import { phaseSpans } from '../../steps/phase-spans.ts';
import { type Phases, phasesOf } from '../../steps/phases.ts';
import { starvationOf } from '../../steps/starvation.ts';
import { contentionOf } from '../../threads/contention.ts';
import { stateTotals } from '../../threads/state-totals.ts';
import { costsOf } from './costs.ts';
import { cpuFacts } from './cpu-facts.ts';
import { joinedRefs } from './evidence.ts';
import type { RankFacts, SiblingFacts, WorkerFacts } from './facts.ts';
import { jobLateness, type RankLateness } from './job-lateness.ts';

/** A machine has 16 GPUs at most; what is known of a rank takes a pass over all calls. */
const MAX_RANKS = 64;

/** What the rules judge, of every rank that made CUDA calls; of too many, those that made most. */
export function rankFacts(trace: Trace, jobs: readonly Job[]): RankFacts[] {
  const places = jobs.flatMap((job) => job.ranks.map((rank) => ({ job, rank })));
  const judged = withMostCalls(
    trace,
    places.filter(({ rank }) => rank.mainThread >= 0),
  );
  const allRanks = judged.map(({ rank }) => rank);
  const times = allRanks.map((rank) => timeOf(trace, rank));
  const lateness = latenessByRank(trace, judged, times);
  return judged.map(({ job, rank }, index) => {
    const siblings = judged.flatMap((other, at) =>
      other.job === job && at !== index ? [siblingOf(times[at], lateness[at])] : [],
    );
    const late = lateness[index];
    return factsOf(trace, times[index], late, {
      ...{ rank, index, allRanks, siblings },
      job: jobs.indexOf(job),
    });
  });
}

function timeOf(trace: Trace, rank: Rank): RankTime {
  const phases = phasesOf(trace, rank);
  const evaluations = evaluationRuns(trace, rank, phases.summary);
  const host = hostTimeOf(trace, rank, hostStretches(trace, phases, evaluations.spans));
  return { rank, phases, host, evaluations };
}

/**
 * Times of two hosts tell who came to a collective last where their clocks are in line to within this: those of what the
 * GPUs recorded. What else shows a collective is told by when threads wait, which is too coarse for it. Our own choice.
 */
const IN_LINE_NS = 300_000;

/** By rank. Those of one job are compared where they are on one host, or on hosts whose clocks are in line. */
function latenessByRank(
  trace: Trace,
  places: readonly { readonly job: Job; readonly rank: Rank }[],
  times: readonly RankTime[],
): readonly RankLateness[] {
  const jobs = [...new Set(places.map(({ job }) => job))];
  const clocks = hostClocks(trace) ?? [];
  const hostOf = ({ process }: Rank) => trace.processes[process]?.host ?? 0;
  const isRecorded = trace.tables.gpu_work.rows > 0;
  const isInLine = (host: number) =>
    isRecorded && (clocks[host]?.uncertaintyNs ?? Infinity) <= IN_LINE_NS;
  const groups = Object.values(
    Object.groupBy(places.keys(), (at) => {
      const host = hostOf(places[at].rank);
      return `${jobs.indexOf(places[at].job)} ${isInLine(host) ? 'in line' : host}`;
    }),
  );
  const found: RankLateness[] = [];
  for (const group of groups) {
    const together = group ?? [];
    const hosts = new Set(together.map((at) => hostOf(places[at].rank)));
    const told = jobLateness(
      trace,
      together.map((at) => times[at]),
      clocksApartNs([...hosts].map((host) => clocks[host]?.uncertaintyNs ?? 0)),
    );
    together.forEach((at, rank) => {
      found[at] = told[rank];
    });
  }
  return found;
}

/** How far two of these clocks may be apart, by how far each is known: of one there is nothing to be apart from. */
function clocksApartNs(uncertaintiesNs: readonly number[]): number {
  const [most = 0, next] = uncertaintiesNs.toSorted((a, b) => b - a);
  return next === undefined ? 0 : most + next;
}

/** At most MAX_RANKS of them, in their order. */
function withMostCalls<Place extends { readonly rank: Rank }>(
  trace: Trace,
  places: readonly Place[],
): readonly Place[] {
  if (places.length <= MAX_RANKS) return places;
  const { byProcess } = countCudaCalls(trace);
  const callsOf = ({ rank }: Place) => byProcess[rank.process];
  const kept = new Set(places.toSorted((a, b) => callsOf(b) - callsOf(a)).slice(0, MAX_RANKS));
  return places.filter((place) => kept.has(place));
}

function siblingOf(
  { rank: { label }, phases: { summary } }: RankTime,
  { unprovenNs }: RankLateness,
): SiblingFacts {
  const [startNs, endNs] = summary.window;
  return { label, split: summary.total, ns: endNs - startNs, steps: summary.count, unprovenNs };
}

function factsOf(
  trace: Trace,
  { phases, host, evaluations }: RankTime,
  { awaited, ...late }: RankLateness,
  place: Pick<RankFacts, 'rank' | 'index' | 'allRanks' | 'siblings' | 'job'>,
): RankFacts {
  const { rank } = place;
  const { window } = phases.summary;
  const { summary: starvation, idle, recorded } = starvationOf(trace, rank, window);
  const [startNs, endNs] = window;
  const workers = workerFacts(trace, rank, window);
  const knownIdle = starvation.basis === 'unknown' ? undefined : idle;
  const device = { idle: knownIdle, recorded };
  const cpus = cpuFacts(trace, rank, window);
  const { cells: costs, ahead } = costsOf(trace, rank, phases, device, {
    ...{ host, awaited, cpus: cpus.usable },
    evaluations: evaluations.spans,
  });
  const hostTime = untilCollected(() => phaseSpans(phases, PHASE.other));
  const repeats = repeatsIn(stepsOf(phases), hostTime, host);
  return {
    trace,
    ...place,
    ...late,
    window,
    steps: phases.summary,
    starvation,
    split: phases.summary.total,
    inputKnown: phases.inputKnown,
    costs,
    ahead,
    get hostTime() {
      return hostTime();
    },
    host,
    evaluations,
    repeats,
    hostGrowth: hostGrowthIn(stepsOf(phases), hostTime, host, repeats),
    rowsRepeat: rowsRepeatIn(stepsOf(phases)),
    main: stateTotals(trace, rank.mainThread, startNs, endNs),
    generations: rank.generations,
    workers,
    cpus,
    h2d: h2dGroups(trace, rank, window),
    neighbours: neighboursOf(trace, rank, window, workers),
    hotLines: (threads) => hotLines(trace, threads, window),
  };
}

function stepsOf({ stepStartsNs, stepEndsNs }: Phases): Spans {
  return { startsNs: stepStartsNs, endsNs: stepEndsNs };
}

/** Of every generation: a worker lives in one. */
function workerFacts(trace: Trace, rank: Rank, window: TimeSpan): WorkerFacts[] {
  const { threadsOf } = jobIndex(trace);
  return rank.generations.flatMap(({ workers }, generation) =>
    workers.flatMap((process, number) => {
      const threads = threadsOf(process);
      const { startNs = window[0], endNs = window[1] } = trace.processes[process];
      const life: TimeSpan = [Math.max(startNs, window[0]), Math.min(endNs, window[1])];
      const mainThread = firstThreadOf(trace, process);
      if (life[1] <= life[0] || mainThread < 0) return [];
      const states = stateTotals(trace, mainThread, life[0], life[1]);
      const made = batchesOf(trace, rank, process, life);
      return [{ process, mainThread, threads, number, generation, window: life, states, ...made }];
    }),
  );
}

/** What the worker made in `life`, and what its time went to. */
function batchesOf(
  trace: Trace,
  rank: Rank,
  process: number,
  [startNs, endNs]: TimeSpan,
): Pick<WorkerFacts, 'cycles' | 'batches' | 'idle'> {
  const made = productionCycles(trace, rank, process);
  const { ns } = causesOfWorker(trace, rank, made, startNs, endNs);
  const cycles = Object.fromEntries(cycleCauses.map((cause, code) => [cause, ns[code]]));
  return {
    cycles: cycles as WorkerFacts['cycles'],
    idle: idleSpans(made),
    batches: made.endsNs.filter((atNs) => atNs >= startNs && atNs < endNs).length,
  };
}

/** Who ran while the main thread or a worker of the rank was runnable, by process, most first. */
function neighboursOf(
  trace: Trace,
  rank: Rank,
  window: TimeSpan,
  workers: readonly WorkerFacts[],
): RankFacts['neighbours'] {
  const byProcess = new Map<number, Neighbour>();
  const waiting = [
    { thread: rank.mainThread, window },
    ...workers.map(({ mainThread, window: life }) => ({ thread: mainThread, window: life })),
  ];
  for (const { thread, window: life } of waiting) {
    const { contenders } = contentionOf(trace, rank, thread, life[0], life[1]);
    for (const { process, relation, ns, events } of contenders) {
      const known = byProcess.get(process) ?? { process, relation, ns: 0, events: [] };
      byProcess.set(process, known);
      known.ns += ns;
      known.events.push(events);
    }
  }
  return [...byProcess.values()]
    .sort((a, b) => b.ns - a.ns)
    .map(({ process, relation, ns, events }) => ({
      process,
      relation: relation === 'self' ? 'own-rank' : relation,
      ns,
      events: joinedRefs(events),
    }));
}

interface Neighbour {
  readonly process: number;
  readonly relation: ThreadLabel['relation'];
  readonly events: EventRefs[];
  ns: number;
}
