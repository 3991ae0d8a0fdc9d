import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import { cpuNumber } from '../../../shared/model/hosts.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { upperFirst } from '../../../shared/text/text.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, processText, windowNs } from '../facts/job-shape.ts';
import { type Precedence, policyText, precedenceOf } from '../facts/priorities.ts';
import { completeSwitches, onCpuSlices, runQueue } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

type Neighbour = RankFacts['neighbours'][number];

const NAMED_AT_MOST = 3;
/** From this share on one process is to be named for all. Our own choice. */
const MOSTLY_ONE = 0.6;

/**
 * Somebody outside the job ran while it was ready to. Never of throttled time or of an idle CPU:
 * these have cells of their own. Kernel threads are named, but work for whoever caused them; the
 * recorder is told apart, since without the recording it would not have been there.
 */
export const noisyNeighbour: Rule = {
  id: 'noisy-neighbour',
  needs: [completeSwitches, runQueue, onCpuSlices],
  judge,
};

const isOthers = ({ cause }: CostCell) => cause === 'runnable-other';

function judge(facts: RankFacts): Judgement | undefined {
  const { trace } = facts;
  const cost = claimed(facts.costs, isOthers);
  const strangers = ofRelation(facts, 'other');
  const recorder = ofRelation(facts, 'recorder');
  const all = [...strangers, ...ofRelation(facts, 'kernel'), ...recorder];
  const allNs = sumNs(all);
  if (allNs === 0) return undefined;
  const strangersNs = cost.ns * (sumNs(strangers) / allNs);
  const blamed = isWorthTelling(facts, strangersNs) ? strangers : recorder;
  const share = sumNs(blamed) / allNs;
  if (!isWorthTelling(facts, cost.ns * share)) return undefined;
  const first = blamed[0];
  const isRecorder = blamed === recorder;
  const isOne = first.ns >= sumNs(blamed) * MOSTLY_ONE;
  const name = processText(trace, first.process);
  const where = cpusText(trace, first.events);
  const precedence = isRecorder ? undefined : precedenceOf(facts, first.events);
  const named = isOne ? name : plural(blamed.length, 'other process', 'other processes');
  return {
    title: isRecorder
      ? 'The recorder itself took CPU time from the job'
      : `${named} took CPU time from the job${isOne ? reasonText(precedence) : ''}`,
    ...(isOne && !isRecorder && { culprit: trace.processes[first.process]?.name ?? name }),
    sentence: `While ${isRecorder ? 'the recorder' : name} ran${where}, ${waitingText(facts)} waited ${formatDuration(first.ns)} in all, ready to run. ${lossText(facts, cost.ns)}`,
    confidence: 'proven',
    evidence: [
      ...evidenceOf(facts, all, strangers, cost),
      ...precedenceEvidence(name, precedence, first.events),
    ],
    claims: isOthers,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: isRecorder ? recorderFix(facts, first) : neighbourFix(facts, first, where, precedence),
    chain: {
      system: evidence(`${isRecorder ? 'The recorder' : name} ran${where}`, 'exact', first.events),
      host: evidence(
        `${upperFirst(loopText(facts))} was ready, but without a CPU`,
        'exact',
        cost.events,
      ),
      cuda: evidence('Nothing was submitted to the GPU meanwhile', 'inferred', cost.events),
    },
  };
}

function ofRelation({ neighbours }: RankFacts, relation: Neighbour['relation']): Neighbour[] {
  return neighbours
    .filter((neighbour) => neighbour.relation === relation && neighbour.ns > 0)
    .toSorted((a, b) => b.ns - a.ns);
}

function sumNs(neighbours: readonly Neighbour[]): number {
  return neighbours.reduce((sum, { ns }) => sum + ns, 0);
}

function lossText(facts: RankFacts, ns: number): string {
  return `Waiting for others’ work took ${formatDuration(ns)} of the training loop (${formatShare(ns, windowNs(facts))} of the time).`;
}

function evidenceOf(
  facts: RankFacts,
  all: readonly Neighbour[],
  strangers: readonly Neighbour[],
  cost: { readonly ns: number; readonly events: EventRefs },
): Evidence[] {
  const { trace } = facts;
  const waited = `${upperFirst(waitingText(facts))} waited`;
  const named = strangers
    .slice(0, NAMED_AT_MOST)
    .map(({ process, ns, events }) =>
      evidence(
        `${waited} ${formatDuration(ns)} in all while ${processText(trace, process)}, not part of the job, ran${cpusText(trace, events)}`,
        'exact',
        events,
      ),
    );
  const others = all
    .filter(({ relation }) => relation !== 'other')
    .slice(0, NAMED_AT_MOST)
    .map(({ process, relation, ns, events }) =>
      evidence(
        relation === 'recorder'
          ? `${waited} ${formatDuration(ns)} while the recorder (${processText(trace, process)}) ran: without a recording, this wait does not occur`
          : `${waited} ${formatDuration(ns)} while the kernel’s ${processText(trace, process)} ran`,
        'exact',
        events,
      ),
    );
  return [...named, ...others, evidence(lossText(facts, cost.ns), 'exact', cost.events)];
}

/** Whose waits are counted: of each process the thread that works for the loop. */
function waitingText({ workers }: RankFacts): string {
  return workers.length === 0
    ? 'the main thread'
    : 'the main threads of the training process and its workers';
}

/** ` on CPU 1 and 3`, from the slices that are shown. */
function cpusText(trace: Trace, { shown }: EventRefs): string {
  const { cpu } = trace.tables.on_cpu.columns;
  const numbers = shown.flatMap(({ table, row }) =>
    table === 'on_cpu' && cpu[row] >= 0 ? [cpuNumber(trace, cpu[row])] : [],
  );
  const distinct = [...new Set(numbers)].sort((a, b) => a - b);
  if (distinct.length === 0) return '';
  return distinct.length > NAMED_AT_MOST
    ? ` on ${distinct.length} CPUs`
    : ` on CPU ${distinct.join(' and ')}`;
}

/** `, with a real-time priority`; empty where it goes no further than the job, or that is not known. */
function reasonText(precedence: Precedence | undefined): string {
  if (precedence?.kind === 'real-time') return `, with real-time priority`;
  return precedence?.kind === 'nicer' ? ', with a lower nice value' : '';
}

function precedenceEvidence(
  name: string,
  precedence: Precedence | undefined,
  events: EventRefs,
): Evidence[] {
  if (precedence?.kind === 'real-time')
    return [
      evidence(
        `${name} is real-time (${policyText(precedence)}): it runs before every thread of the job, whatever their nice values`,
        'exact',
        events,
      ),
    ];
  if (precedence?.kind !== 'nicer') return [];
  const { nice, jobNice } = precedence;
  const text = `${name} has a nice value of ${nice}, the training loop ${jobNice}: it has more of each CPU that both want`;
  return [evidence(text, 'exact', events)];
}

function neighbourFix(
  { trace }: RankFacts,
  { process }: Neighbour,
  where: string,
  precedence: Precedence | undefined,
): Fix {
  const { pid } = trace.processes[process];
  const name = processText(trace, process);
  return {
    title:
      precedence?.kind === 'real-time'
        ? `Give ${name} CPUs of its own, or no real-time priority`
        : `Move ${name} off the job’s CPUs, or let it wait`,
    text: `It competed with the job${where}. Run it on another machine or at another time; if it must run here, give it CPUs that the job does not use (\`taskset\`, \`AllowedCPUs=\` of its systemd service), or ${insteadText(precedence)}`,
    before: `ps -L -o pid,tid,cls,rtprio,ni,psr,comm -p ${pid}`,
    after: commandFor(pid, precedence),
    language: 'shell',
    sources:
      precedence?.kind === 'nicer'
        ? [{ title: 'renice(1)', url: 'https://man7.org/linux/man-pages/man1/renice.1.html' }]
        : [{ title: 'chrt(1)', url: 'https://man7.org/linux/man-pages/man1/chrt.1.html' }],
  };
}

function insteadText(precedence: Precedence | undefined): string {
  const idle = 'let it run only where nobody else wants the CPU, as in the second line';
  if (precedence?.kind === 'real-time')
    return 'another policy, as in the second line. `renice` does nothing: nice values count among threads that are not real-time. Ask first why it has the priority: what handles a device in time may need it.';
  if (precedence?.kind === 'nicer')
    return `the nice value of the job, as in the second line: then both have as much of a CPU.`;
  if (precedence?.kind === 'equal') return `${idle}: it has no better priority than the job.`;
  return `${idle}. The first line shows its class: where that is FF or RR it is real-time, goes before the job whatever its nice value is, and \`renice\` does nothing; only another policy or other CPUs help.`;
}

function commandFor(pid: number, precedence: Precedence | undefined): string {
  if (precedence?.kind === 'real-time') return `chrt --all-tasks --other --pid 0 ${pid}`;
  if (precedence?.kind === 'nicer') return `renice -n ${precedence.jobNice} -p ${pid}`;
  return `chrt --all-tasks --idle --pid 0 ${pid}`;
}

function recorderFix({ trace }: RankFacts, { process }: Neighbour): Fix {
  const { pid } = trace.processes[process];
  return {
    title: 'Leave the recorder a CPU, or record less',
    text: 'Without a recording this time is not lost, so judge the job by its other findings. Fewer samples and no optional profiles make the recorder cheaper; the lowest priority lets the job go first.',
    before: `ps -o pid,ni,psr,comm -p ${pid}`,
    after: `renice -n 19 -p ${pid}`,
    language: 'shell',
    sources: [{ title: 'renice(1)', url: 'https://man7.org/linux/man-pages/man1/renice.1.html' }],
  };
}
