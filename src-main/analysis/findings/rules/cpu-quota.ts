import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import { hasQuotaSamples } from '../../threads/quota-samples.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, shareText, workersAtOnce } from '../facts/job-shape.ts';
import { kernelDocs } from '../fixes/sources.ts';
import { completeSwitches, throttling } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Default of `cpu.cfs_period_us`, µs: Documentation/scheduler/sched-bwc.rst. */
const PERIOD_US = 100_000;

/** Threads that were ready to run were kept from it by a quota: nobody ran instead. */
export const cpuQuota: Rule = {
  id: 'cpu-quota',
  needs: [completeSwitches, throttling],
  judge,
};

const isThrottled = ({ cause }: CostCell) => cause === 'throttled';

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isThrottled);
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const { quota } = facts.cpus;
  const wanted = cpusWanted(facts);
  const allowed = quota === undefined ? 'A CPU quota' : `A quota of ${cpus(quota)}`;
  const lost = shareText(facts, cost.ns);
  const isSampled = hasQuotaSamples(facts.trace);
  const basis = isSampled ? 'inferred' : 'exact';
  const throttled = evidence(
    `${lost} in which ${loopText(facts)} was ready, but ${isSampled ? 'its control group was throttled, by samples of it' : 'throttled'}`,
    basis,
    cost.events,
  );
  const demand = demandEvidence(facts, wanted);
  return {
    title: 'A CPU quota stops the job',
    sentence: `${allowed} kept ${loopText(facts)} from running for ${lost}. Nobody ran instead: the CPUs were held back, not busy.`,
    confidence: isSampled ? 'likely' : 'proven',
    evidence: [throttled, demand, ...workersThrottled(facts)],
    claims: isThrottled,
    gain: { reach: 'waits', cpus: facts.cpus.machine },
    fix: fixFor(facts, wanted),
    chain: {
      system: evidence(`${allowed} of the job’s control group was used up`, basis, cost.events),
      host: throttled,
      cuda: evidence('Nothing was submitted to the GPU meanwhile', 'inferred', cost.events),
    },
  };
}

function fixFor(facts: RankFacts, wanted: number): Fix {
  const { quota = 0 } = facts.cpus;
  const raised = Math.max(Math.ceil(wanted), Math.floor(quota) + 1);
  const fewer = Math.max(0, Math.floor(quota) - 1);
  const alternative =
    workersAtOnce(facts) > fewer && quota > 0
      ? ` If that cannot be had, use ${fewer} instead of ${workersAtOnce(facts)} workers: more only use up the quota sooner.`
      : '';
  return {
    title: `Raise the CPU limit of the container to ${cpus(raised)}`,
    text: `The job wanted ${wanted.toFixed(1)} CPUs on average. With Docker it is \`--cpus=${raised}\`, with Kubernetes \`resources.limits.cpu: "${raised}"\`; the line below sets it in the control group itself. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup.${alternative}`,
    before: 'cat "$CGROUP/cpu.max"   # µs of CPU time, per so many µs',
    after: `echo "${raised * PERIOD_US} ${PERIOD_US}" > "$CGROUP/cpu.max"`,
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, CPU interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('CFS bandwidth control', 'scheduler/sched-bwc.html'),
    ],
  };
}

/** CPUs that the main thread and the workers’ would have used on average, had nobody held them back. */
function cpusWanted({ main, workers, window }: RankFacts): number {
  const wantedNs = [main, ...workers.map(({ states }) => states)].reduce(
    (sum, { runningNs, runnableNs }) => sum + runningNs + runnableNs,
    0,
  );
  return wantedNs / (window[1] - window[0]);
}

function demandEvidence({ cpus: { quota } }: RankFacts, wanted: number): Evidence {
  const against = quota === undefined ? 'the quota itself is not recorded' : `of ${cpus(quota)}`;
  const text = `The main thread and the workers’ ran or were ready on ${wanted.toFixed(1)} CPUs on average, ${against}`;
  return evidence(text, 'exact');
}

function workersThrottled({ main, workers }: RankFacts): Evidence[] {
  const workersNs = workers.reduce((sum, { states }) => sum + states.throttledNs, 0);
  const parts = [
    ...(main.throttledNs > 0 ? [`the main thread for ${formatDuration(main.throttledNs)}`] : []),
    ...(workersNs > 0 ? [`the workers for ${formatDuration(workersNs)} in all`] : []),
  ];
  if (parts.length === 0) return [];
  return [evidence(`Throttled: ${parts.join(', ')}`, 'exact')];
}

function cpus(count: number): string {
  return count === 1 ? '1 CPU' : `${Number(count.toFixed(2))} CPUs`;
}
