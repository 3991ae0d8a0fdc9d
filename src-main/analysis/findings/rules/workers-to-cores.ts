import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { type CpuDemand, cpuDemand, cpusText, workersThatFit } from '../facts/cpu-demand.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, windowNs } from '../facts/job-shape.ts';
import { cpuWaitNs, production } from '../facts/loader-work.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, investigation, optimisationGuide } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches, runQueue } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** CPUs that were idle for more of the time than this were not what the job was short of. Our own choice. */
const IDLE_AT_MOST = 0.5;

/**
 * Of its share of the CPUs, what the rank must have run on or waited for: a rank that wanted less
 * waited because others had the CPUs, or at odd moments. Our own choice.
 */
const WANTED_AT_LEAST = 0.75;

const claims = ({ cause }: CostCell) => cause === 'runnable-own';

/** More DataLoader workers than there are CPUs for them: they take the CPU from each other and from main. */
export const workersToCores: Rule = {
  id: 'workers-to-cores',
  needs: [completeSwitches, runQueue],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { costs, cpus } = facts;
  const demand = cpuDemand(facts);
  const ideal = idealLoop(facts, demand);
  const fitting = Math.max(workersThatFit(facts, demand.ranks), workersNeeded(facts, ideal));
  if (demand.ownWorkers <= fitting || demand.processes <= cpus.usable) return undefined;
  if (cpus.usable <= 0 || (cpus.idleShare ?? 0) > IDLE_AT_MOST) return undefined;
  if (wantedCpus(facts) < (cpus.usable / demand.ranks) * WANTED_AT_LEAST) return undefined;
  const { ns, events } = claimed(costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const crowd = crowdText(facts, demand);
  const waited = runnableText(facts);
  return {
    title: 'More DataLoader workers than CPUs',
    sentence: `${crowd}. The training loop, or the worker it needed, waited ${formatDuration(ns)} for a CPU that the job itself had taken.`,
    confidence: 'proven',
    evidence: [
      evidence(crowd, 'exact'),
      evidence(waited, 'exact', events),
      ...(cpus.idleShare === undefined ? [] : [idleCpus(cpus.idleShare)]),
    ],
    claims,
    gain: { reach: 'waits', cpus: cpus.usable, floorNs: ideal.ns },
    fix: fixFor(facts, demand, fitting),
    chain: {
      system: evidence(crowd, 'exact'),
      host: evidence(
        waitOf(facts, ns, 'waited for a CPU, itself or through its workers'),
        'exact',
        events,
      ),
      cuda: idleDevice(facts, claims),
    },
  };
}

interface IdealLoop {
  /** How long it would take if its CPUs did the same work without a pause. */
  readonly ns: number;
  /** What the workers compute for it. */
  readonly workNs: number;
}

function idealLoop(facts: RankFacts, { ranks }: CpuDemand): IdealLoop {
  const { cpus, main, workers } = facts;
  const workNs = workers.reduce((sum, { states }) => sum + states.runningNs, 0);
  return { ns: (workNs + main.runningNs) / Math.max(1, cpus.usable / ranks), workNs };
}

/** Batches are not all of one length: a worker that is just enough in the mean keeps the loop waiting. Our own choice. */
const SLACK = 1.1;

/**
 * How many workers keep up with the loop: with fewer, it waits for their work instead of for a CPU. A worker that
 * sleeps or waits for a disk makes no other batch meanwhile.
 */
function workersNeeded(facts: RankFacts, { ns, workNs }: IdealLoop): number {
  const made = production(facts);
  const ownNs = facts.costs.reduce(
    (sum, { phase, cause, ns: cellNs }) =>
      phase === 'input' || cause.startsWith('runnable') ? sum : sum + cellNs,
    0,
  );
  const loopNs = Math.max(ns, Math.min(ownNs, windowNs(facts)));
  return loopNs > 0 ? Math.ceil((Math.max(workNs, made.ns - cpuWaitNs(made)) / loopNs) * SLACK) : 0;
}

/** CPUs that the rank ran on or waited for, in the mean. */
function wantedCpus(facts: RankFacts): number {
  const { main, workers } = facts;
  const wantedNs = workers.reduce(
    (sum, { states }) => sum + states.runningNs + states.runnableNs,
    main.runningNs + main.runnableNs,
  );
  return wantedNs / windowNs(facts);
}

function crowdText(facts: RankFacts, { ranks, workers }: CpuDemand): string {
  const mains = ranks === 1 ? 'the training process' : `${ranks} training processes`;
  return `${plural(workers, 'DataLoader worker')} and ${mains} shared ${cpusText(facts)}`;
}

function runnableText({ workers }: RankFacts): string {
  const waitedNs = workers.reduce((sum, { states }) => sum + states.runnableNs, 0);
  const livedNs = workers.reduce((sum, { states }) => sum + states.ns, 0);
  return `The workers were ready to run, but without a CPU, for ${formatShare(waitedNs, livedNs)} of their time`;
}

function idleCpus(share: number): Evidence {
  return evidence(
    `By samples the CPUs were idle ${formatShare(share, 1)} of the time`,
    'aggregated',
  );
}

/** Why that number. */
function numberText(facts: RankFacts, ranks: number, fitting: number): string {
  const processes = ranks === 1 ? 'the training process' : 'each training process';
  const left = workersThatFit(facts, ranks);
  const beside = `${cpusText(facts)} less one for ${processes} leaves ${plural(left, 'worker')}`;
  return fitting === left
    ? beside
    : `${beside}, but to make the batches takes ${fitting} to keep up`;
}

function fixFor(facts: RankFacts, { ranks, ownWorkers }: CpuDemand, fitting: number): Fix {
  const each = ranks === 1 ? '' : ` in each of the ${ranks} training processes`;
  return {
    title: `Set num_workers=${fitting}${each}`,
    text: `${numberText(facts, ranks, fitting)}${each}. Then compare with one more and one fewer: throughput rises, levels off and falls again. If the loop still waits for batches, the work itself is too much for these CPUs.`,
    before: loaderLine(`num_workers=${ownWorkers}`),
    after: loaderLine(`num_workers=${fitting}`),
    language: 'python',
    sources: [
      investigation(
        '4 workers beside the training process on 4 CPUs: about 50,000 deschedules each, the worst stall 5 s',
      ),
      debugGuide('start at no more than the number of cores, then measure'),
      optimisationGuide('start at 2 to 4 workers per GPU'),
    ],
  };
}
