import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { cpusText } from '../facts/cpu-demand.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { windowNs, workersAtOnce } from '../facts/job-shape.ts';
import { cpuWaitNs, inputCell, production } from '../facts/loader-work.ts';
import { unevenWorkers } from '../facts/uneven-workers.ts';
import { type WorkerGain, workerGains } from '../facts/worker-gains.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, optimisationGuide, traceMl } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches, machineSamples } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Share of the time from which TraceML warns of waiting for input. */
const INPUT_AT_LEAST = 0.1;
/** CPUs that are idle less than this have no room for another worker. Our own choice, as are the next. */
const IDLE_AT_LEAST = 0.25;
/** Workers that wait for an index for longer have nothing to do: more of them would not either. */
const UNOCCUPIED_AT_MOST = 0.1;
/** Workers that wait for a CPU for longer are too many already. */
const RUNNABLE_AT_MOST = 0.1;
/** Workers that wait for each other or a disk for longer take turns: one more would wait too. */
const TURNS_AT_MOST = 0.1;
/** Where the code is slow as well, either could win this time: no more than half of it is for want of workers. */
const SHARE_AT_MOST = 0.5;
/** Numbers of workers whose gains are told. */
const TOLD = 4;

const claims = inputCell('worker', 'running', 'sleeping');

/** The workers are always at work, the loop still waits for them, and CPUs are idle. */
export const moreWorkers: Rule = {
  id: 'more-workers',
  needs: [completeSwitches, machineSamples('How busy were the CPUs?', /^CPU\b/i)],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { costs, cpus } = facts;
  if (cpus.idleShare === undefined || cpus.idleShare < IDLE_AT_LEAST) return undefined;
  // Where some of those that are there have nothing to do, more of them would not either.
  if (!areOccupied(facts) || unevenWorkers(facts).length > 0) return undefined;
  const { ns, events } = claimed(costs, claims);
  if (ns < windowNs(facts) * INPUT_AT_LEAST) return undefined;
  const gains = workerGains(facts);
  const best = gains.at(-1);
  if (best === undefined) return undefined;
  const idle = evidence(
    `By samples ${cpusText(facts)} were idle ${formatShare(cpus.idleShare, 1)} of the time`,
    'aggregated',
  );
  const now = workersAtOnce(facts);
  const all = `${plural(now, 'DataLoader worker')} ${now === 1 ? 'was' : 'were'} always at work`;
  const won = gainsText(gains);
  return {
    title: 'CPUs are idle while too few workers make batches',
    sentence: `${all}, and the training loop still waited ${formatDuration(ns)} for ${now === 1 ? 'it' : 'them'}, while CPUs were idle. ${won}.`,
    confidence: 'likely',
    evidence: [evidence(all, 'exact', events), idle, evidence(won, 'inferred')],
    claims,
    claimShare: Math.min(SHARE_AT_MOST, best.gainNs / ns),
    // They were always at work: so many more make batches so much more often, and no more than that.
    gain: { reach: 'waits', cpus: cpus.usable, floorNs: best.floorNs },
    fix: fixFor(now, gains),
    chain: {
      system: idle,
      host: evidence(waitOf(facts, ns, 'waited for batches still being made'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** `2 workers save at most 2.5 s, 3 workers 3.4 s`: the last one is told, whatever lies between. */
function gainsText(gains: readonly WorkerGain[]): string {
  const told = gains.length > TOLD ? [...gains.slice(0, TOLD - 1), gains[gains.length - 1]] : gains;
  const [first, ...others] = told;
  const rest = others.map(
    ({ workers, gainNs }) => `, ${workers} workers ${formatDuration(gainNs)}`,
  );
  return `${first.workers} workers save at most ${formatDuration(first.gainNs)}${rest.join('')}`;
}

function areOccupied(facts: RankFacts): boolean {
  const made = production(facts);
  const { ns, byCause } = made;
  if (ns === 0) return false;
  return (
    byCause['waiting-for-index'] <= (ns + byCause['waiting-for-index']) * UNOCCUPIED_AT_MOST &&
    cpuWaitNs(made) <= ns * RUNNABLE_AT_MOST &&
    byCause['shared-lock'] + byCause.disk <= ns * TURNS_AT_MOST &&
    byCause.unknown <= ns * UNOCCUPIED_AT_MOST
  );
}

function fixFor(now: number, gains: readonly WorkerGain[]): Fix {
  const last = gains[gains.length - 1].workers;
  // Twice the workers need half the time for as many batches, at best.
  const next = Math.min(2 * now, last);
  const beyond = next < last ? `, then more, up to ${last}` : '';
  return {
    title: `Try num_workers=${next}${beyond}`,
    text: `Raise the number step by step and compare: throughput rises, levels off and falls again. More than ${last} win next to nothing by this trace. Each worker is a process of its own and needs memory.`,
    before: loaderLine(`num_workers=${now}`),
    after: loaderLine(`num_workers=${next}`),
    language: 'python',
    sources: [
      debugGuide('measure with 2, 4, 8 and 16 workers'),
      optimisationGuide('start at 2 to 4 workers per GPU'),
      traceMl(),
    ],
  };
}
