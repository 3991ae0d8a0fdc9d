import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { upperFirst } from '../../../shared/text/text.ts';
import { plural } from '../../../shared/text/units.ts';
import { cpuList, cpuRanges } from '../facts/cpu-facts.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, shareText, workersAtOnce } from '../facts/job-shape.ts';
import { samplesOf } from '../facts/machine-samples.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { kernelDocs, pytorchIssue } from '../fixes/sources.ts';
import { allowedCpus, completeSwitches, runQueue } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

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
  /** Whether the control group is the limit: no process can lift that by itself. undefined = not known. */
  readonly isGroup: boolean | undefined;
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isRunnable);
  const confined = confinement(facts);
  if (confined === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const free = freeCpus(facts, confined.others);
  const { who, allowed, others, isBelowMain, isGroup } = confined;
  // Of a CPU that others use, too, who may run there has a part: a limit that nobody meant is worth telling.
  if (free?.isBusy && !isBelowMain) return undefined;
  const lost = shareText(facts, cost.ns);
  const only = `${who} may use only ${plural(allowed.length, 'CPU')} (${listText(allowed)})${byText(isGroup)}`;
  const besides = isBelowMain
    ? `the training process ${allowed.length + others.length}`
    : isGroup === false
      ? `its control group leaves it ${allowed.length + others.length}`
      : `the machine has ${allowed.length + others.length}`;
  const shared = free?.isBusy
    ? ` ${free.evidence[0].text}: there it would have to share with others.`
    : '';
  const limit = evidence(`${only}; ${besides}`, 'exact');
  const waited = evidence(
    `${lost} in which ${loopText(facts)} was ready, but without a CPU`,
    'exact',
    cost.events,
  );
  return {
    title: `${who} may use only ${allowed.length} of ${plural(allowed.length + others.length, 'CPU')}`,
    sentence: `${limit.text}. ${upperFirst(loopText(facts))} waited ${lost} for a CPU.${shared}`,
    confidence:
      isBelowMain && !free?.isBusy ? 'proven' : free === undefined ? 'possible' : 'likely',
    evidence: [limit, waited, ...(free?.evidence ?? [])],
    claims: isRunnable,
    gain: { reach: 'waits', cpus: facts.cpus.machine },
    fix: fixFor(facts, confined),
    chain: {
      system: limit,
      host: waited,
      cuda: evidence('Nothing was submitted to the GPU meanwhile', 'inferred', cost.events),
    },
  };
}

/** Who set the limit, where that is known. */
function byText(isGroup: boolean | undefined): string {
  if (isGroup === undefined) return '';
  return isGroup ? ', by the cpuset of its control group' : ', by its affinity';
}

function fixFor(facts: RankFacts, confined: Confined): Fix {
  return confined.isGroup === true ? groupFix(confined) : affinityFix(facts, confined);
}

/** `sched_setaffinity` can’t go beyond a cpuset. */
function groupFix({ allowed, others }: Confined): Fix {
  const all = cpuRanges(
    [...allowed, ...others].sort((a, b) => a - b),
    '-',
  ).join(',');
  return {
    title: `Give the control group ${plural(others.length, 'more CPU')}`,
    text: `The job can’t take them by itself: the kernel cuts what it asks for to the cpuset of its control group. With Docker it is \`--cpuset-cpus\`, with Slurm \`--cpus-per-task\`, with a systemd service \`AllowedCPUs=\`, with Kubernetes the CPU manager gives them to containers that ask for whole CPUs; the line below sets it in the control group itself. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup.`,
    before: 'cat "$CGROUP/cpuset.cpus"',
    after: `echo ${all} > "$CGROUP/cpuset.cpus"`,
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, cpuset interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('CPUSETS', 'admin-guide/cgroup-v1/cpusets.html'),
    ],
  };
}

function affinityFix(facts: RankFacts, { who, others, isBelowMain, isGroup }: Confined): Fix {
  const workers = workersAtOnce(facts);
  const purpose = isBelowMain
    ? ''
    : ` If the limit is meant (${isGroup === undefined ? 'a cpuset of a container, ' : ''}taskset, a batch system), ask for more CPUs there instead.`;
  const more = plural(others.length, 'more CPU');
  const sources = [pytorchIssue(101850, 'loading 10 times slower')];
  if (workers === 0)
    return {
      title: `Let ${who.toLowerCase()} use ${more}`,
      text: `A library that pins the process it is loaded into leaves it pinned. Give the CPUs back after the imports.${purpose}`,
      before: 'import torch',
      after: 'import os\nimport torch\n\nos.sched_setaffinity(0, range(os.cpu_count()))',
      language: 'python',
      sources,
    };
  return {
    title: `Let the workers use ${more}`,
    text: `A library that pins the process it is loaded into passes that on to every worker. Give the CPUs back as each worker starts.${purpose}`,
    before: loaderLine(`num_workers=${workers}`),
    after: `import os

def use_all_cpus(worker_id):  # and what your own worker_init_fn does
    os.sched_setaffinity(0, range(os.cpu_count()))

${loaderLine(`num_workers=${workers}, worker_init_fn=use_all_cpus`)}`,
    language: 'python',
    sources,
  };
}

/** The workers beside the training process, else the whole job beside its control group, else beside the machine. */
function confinement(facts: RankFacts): Confined | undefined {
  const { trace, rank, workers, cpus } = facts;
  const process = trace.processes[rank.process];
  const main = cpuList(process?.cpusAllowed);
  const group = cpuList(process?.groupCpus);
  const narrowest = workers
    .flatMap(({ process: worker }) => [cpuList(trace.processes[worker]?.cpusAllowed) ?? []])
    .filter((allowed) => allowed.length > 0)
    .toSorted((a, b) => a.length - b.length)
    .at(0);
  if (main === undefined) return undefined;
  if (narrowest !== undefined && narrowest.length < main.length)
    return confined('Workers', narrowest, main, true, undefined);
  // With a quota below it, more CPUs would change nothing.
  if (cpus.quota !== undefined && cpus.quota <= main.length) return undefined;
  if (group !== undefined && main.length < group.length)
    return confined('The job', main, group, false, false);
  if (main.length >= cpus.machine) return undefined;
  const machine = Array.from({ length: cpus.machine }, (_, cpu) => cpu);
  return confined('The job', main, machine, false, group === undefined ? undefined : true);
}

function confined(
  who: string,
  allowed: readonly number[],
  all: readonly number[],
  isBelowMain: boolean,
  isGroup: boolean | undefined,
): Confined {
  const own = new Set(allowed);
  return { who, allowed, others: all.filter((cpu) => !own.has(cpu)), isBelowMain, isGroup };
}

/** How busy the CPUs were that the job may not use; undefined where no samples say it. */
function freeCpus(
  facts: RankFacts,
  others: readonly number[],
): { readonly isBusy: boolean; readonly evidence: readonly [Evidence] } | undefined {
  const recorded = new Set(facts.trace.names);
  const samples = others
    .filter((cpu) => recorded.has(`CPU ${cpu} (%)`))
    .flatMap((cpu) => samplesOf(facts, new RegExp(`^CPU ${cpu} \\(%\\)$`), facts.window) ?? []);
  if (samples.length === 0) return undefined;
  const mean = samples.reduce((sum, { mean: percent }) => sum + percent, 0) / samples.length;
  const text = `The other ${samples.length === 1 ? 'CPU was' : `${plural(samples.length, 'CPU')} were`} ${mean.toFixed(0)} % busy on average`;
  const events = joinedRefs(samples.map(({ events: refs }) => refs));
  return { isBusy: mean >= BUSY_PERCENT, evidence: [evidence(text, 'aggregated', events)] };
}

/** `0–3, 8`. */
function listText(cpus: readonly number[]): string {
  return cpuRanges(cpus, '–').join(', ');
}
