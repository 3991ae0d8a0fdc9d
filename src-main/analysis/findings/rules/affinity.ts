import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { upperFirst } from '../../../shared/text/text.ts';
import { plural } from '../../../shared/text/units.ts';
import { cpuList } from '../facts/cpu-facts.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, shareText, workersAtOnce } from '../facts/job-shape.ts';
import { samplesOf } from '../facts/machine-samples.ts';
import { allowedCpus, completeSwitches, runQueue } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { loaderLine } from '../facts/snippets.ts';
import { pytorchIssue } from '../facts/sources.ts';

/** CPUs that are busier than this, in percent, have little to give: our own choice. */
const BUSY_PERCENT = 80;

/** Processes of the job wait for CPUs while the machine has others that they may not use. */
export const affinity: Rule = {
  id: 'affinity',
  needs: [allowedCpus, completeSwitches, runQueue],
  judge,
};

const isRunnable = ({ cause }: CostCell) => cause === 'runnable-own' || cause === 'runnable-other';

interface Confined {
  readonly who: string;
  readonly allowed: readonly number[];
  /** What they could use besides. */
  readonly others: readonly number[];
  /** Whether the training process itself may use those: then nobody meant the limit. */
  readonly isBelowMain: boolean;
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isRunnable);
  const confined = confinement(facts);
  if (confined === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const free = freeCpus(facts, confined.others);
  if (free?.isBusy) return undefined;
  const { who, allowed, others, isBelowMain } = confined;
  const lost = shareText(facts, cost.ns);
  const only = `${who} may use only ${plural(allowed.length, 'CPU')} (${listText(allowed)})`;
  const besides = isBelowMain
    ? `the training process ${allowed.length + others.length}`
    : `the machine has ${allowed.length + others.length}`;
  const waited = evidence(
    `${lost} in which ${loopText(facts)} was ready, but without a CPU`,
    'exact',
    cost.events,
  );
  return {
    title: 'The job may not use all CPUs',
    sentence: `${only}; ${besides}. ${upperFirst(loopText(facts))} waited ${lost} for a CPU.`,
    confidence: isBelowMain ? 'proven' : free === undefined ? 'possible' : 'likely',
    evidence: [evidence(`${only}; ${besides}`, 'exact'), waited, ...(free?.evidence ?? [])],
    claims: isRunnable,
    gain: { reach: 'waits', cpus: facts.cpus.machine },
    fix: fixFor(facts, confined),
    chain: {
      system: evidence(`${only}; ${besides}`, 'exact'),
      host: waited,
      cuda: evidence('Nothing was submitted to the GPU meanwhile', 'inferred', cost.events),
    },
  };
}

function fixFor(facts: RankFacts, { others, isBelowMain }: Confined): Fix {
  const workers = workersAtOnce(facts);
  const purpose = isBelowMain
    ? ''
    : ' If the limit is meant (a cpuset of a container, taskset, a batch system), ask for more CPUs there instead.';
  return {
    title: `Let the workers use ${plural(others.length, 'more CPU')}`,
    text: `A library that pins the process it is loaded into passes that on to every worker. Give the CPUs back as each worker starts.${purpose}`,
    before: loaderLine(`num_workers=${workers}`),
    after: `import os

def use_all_cpus(worker_id):
    os.sched_setaffinity(0, range(os.cpu_count()))

${loaderLine(`num_workers=${workers}, worker_init_fn=use_all_cpus`)}`,
    language: 'python',
    sources: [pytorchIssue(101850, 'loading 10 times slower')],
  };
}

/** The workers beside the training process, else the whole job beside the machine. */
function confinement(facts: RankFacts): Confined | undefined {
  const { trace, rank, workers, cpus } = facts;
  const main = cpuList(trace.processes[rank.process]?.cpusAllowed);
  const narrowest = workers
    .flatMap(({ process }) => [cpuList(trace.processes[process]?.cpusAllowed) ?? []])
    .filter((allowed) => allowed.length > 0)
    .toSorted((a, b) => a.length - b.length)
    .at(0);
  if (main === undefined || workersAtOnce(facts) === 0) return undefined;
  if (narrowest !== undefined && narrowest.length < main.length)
    return confined('Workers', narrowest, main, true);
  // With a quota below it, more CPUs would change nothing.
  if (cpus.quota !== undefined && cpus.quota <= main.length) return undefined;
  if (main.length >= cpus.machine) return undefined;
  const machine = Array.from({ length: cpus.machine }, (_, cpu) => cpu);
  return confined('The job', main, machine, false);
}

function confined(
  who: string,
  allowed: readonly number[],
  all: readonly number[],
  isBelowMain: boolean,
): Confined {
  const own = new Set(allowed);
  return { who, allowed, others: all.filter((cpu) => !own.has(cpu)), isBelowMain };
}

/** How busy the CPUs were that the job may not use; undefined where no samples say it. */
function freeCpus(
  facts: RankFacts,
  others: readonly number[],
): { readonly isBusy: boolean; readonly evidence: Evidence[] } | undefined {
  const recorded = new Set(facts.trace.names);
  const samples = others
    .filter((cpu) => recorded.has(`CPU ${cpu} (%)`))
    .flatMap((cpu) => samplesOf(facts, new RegExp(`^CPU ${cpu} \\(%\\)$`), facts.window) ?? []);
  if (samples.length === 0) return undefined;
  const mean = samples.reduce((sum, { mean: percent }) => sum + percent, 0) / samples.length;
  const text = `The other ${plural(samples.length, 'CPU')} were ${mean.toFixed(0)} % busy on average`;
  const events = joinedRefs(samples.map(({ events: refs }) => refs));
  return { isBusy: mean >= BUSY_PERCENT, evidence: [evidence(text, 'aggregated', events)] };
}

/** `0–3, 8`. */
function listText(cpus: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const cpu of cpus) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === cpu - 1) last[1] = cpu;
    else runs.push([cpu, cpu]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
