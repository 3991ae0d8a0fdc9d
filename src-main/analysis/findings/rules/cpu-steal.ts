import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { upperFirst } from '../../../shared/text/text.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, shareText } from '../facts/job-shape.ts';
import { type MetricSamples, samplesOf } from '../facts/machine-samples.ts';
import { kernelDocs } from '../fixes/sources.ts';
import { chargedCpuTime, knownRunning } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const STOLEN = /^CPU stolen by the hypervisor \(%\)$/;
const INTERRUPTS = /^CPU interrupts \(%\)$/;
/** A mean below this, in percent, says nothing about who took the time: our own choice. */
const NOTABLE_PERCENT = 1;

/** Interrupts or the hypervisor had the CPU while a thread seemed to run. */
export const cpuSteal: Rule = {
  id: 'cpu-steal',
  needs: [knownRunning, chargedCpuTime],
  judge,
};

const isStolen = ({ cause }: CostCell) => cause === 'stolen';

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isStolen);
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const hypervisor = notable(samplesOf(facts, STOLEN, facts.window));
  const interrupts = notable(samplesOf(facts, INTERRUPTS, facts.window));
  const who = whoText(hypervisor, interrupts);
  const lost = shareText(facts, cost.ns);
  const stolen = evidence(
    `${lost} in which ${loopText(facts)} was on a CPU without getting its time`,
    'exact',
    cost.events,
  );
  const samples = [hypervisor, interrupts].flatMap((found) => sampleEvidence(found));
  return {
    title: `${upperFirst(who)} took CPU time from the job`,
    sentence: `While ${loopText(facts)} was on a CPU, ${who} had it for ${lost}.`,
    confidence: samples.length > 0 ? 'proven' : 'likely',
    evidence: [stolen, ...samples],
    claims: isStolen,
    gain: { reach: 'waits' },
    fix: hypervisor === undefined && interrupts !== undefined ? interruptFix : hostFix,
    chain: {
      system: samples[0] ?? evidence(`${upperFirst(who)} had the CPU`, 'inferred', cost.events),
      host: stolen,
      cuda: evidence('The GPU’s next work came that much later', 'inferred', cost.events),
    },
  };
}

function notable(samples: MetricSamples | undefined): MetricSamples | undefined {
  return samples !== undefined && samples.mean >= NOTABLE_PERCENT ? samples : undefined;
}

function whoText(hypervisor?: MetricSamples, interrupts?: MetricSamples): string {
  if (hypervisor !== undefined && interrupts === undefined) return 'the hypervisor';
  if (hypervisor === undefined && interrupts !== undefined) return 'interrupts';
  return 'interrupts or the hypervisor';
}

function sampleEvidence(samples: MetricSamples | undefined): Evidence[] {
  if (samples === undefined) return [];
  const { metric, mean, max, events } = samples;
  const name = metric.replace(/ \(%\)$/, '');
  const text = `${name}: ${mean.toFixed(1)} % of the machine on average, ${max.toFixed(1)} % at most`;
  return [evidence(text, 'aggregated', events)];
}

const hostFix: Fix = {
  title: 'Move the job to a host, or a kind of instance, with CPUs of its own',
  text: 'Nothing inside the machine gives stolen time back: the host runs others on the same CPUs, or limits yours. The line below says how much has been stolen since boot; look at it on the next host before a long run.',
  // What was stolen in the second between the two lines.
  before: 'grep "^cpu " /proc/stat; sleep 1; grep "^cpu " /proc/stat',
  after:
    'awk \'/^cpu / { if ($2+$3+$4+$5+$6+$7+$8+$9 > 0) print 100*$9/($2+$3+$4+$5+$6+$7+$8+$9) " % stolen since boot" }\' /proc/stat',
  language: 'shell',
  sources: [kernelDocs('The /proc filesystem, /proc/stat', 'filesystems/proc.html')],
};

const interruptFix: Fix = {
  title: 'Keep interrupts off the CPUs that the job uses',
  text: 'Find the interrupts that count fastest in /proc/interrupts, and let a CPU that the job does not use serve them. $IRQ is the folder of one under /proc/irq. A running irqbalance undoes that: ban the job’s CPUs there instead.',
  before: 'cat "$IRQ/smp_affinity_list"',
  after: 'echo 0 > "$IRQ/smp_affinity_list"',
  language: 'shell',
  sources: [kernelDocs('SMP IRQ affinity', 'core-api/irq/irq-affinity.html')],
};
