import type { Basis } from '../../../shared/answers/basis.ts';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import { hasOnlyOwnSlices, NOT_OF_THE_JOB } from '../../coverage/own-slices.ts';
import { loopCalls } from '../../loop/loop-calls.ts';
import { basisOf } from '../../threads/call-sums.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { kernelDocs } from '../fixes/sources.ts';
import { idleDevice } from '../judging/links.ts';
import { cpuWaits } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The training thread was ready to run and had no CPU, as was measured of its waits or around its CUDA
 * calls, and who ran instead is not in the trace. Where that is known the time is another rule's.
 */
export const cpuWait: Rule = {
  id: 'cpu-wait',
  needs: [cpuWaits],
  judge,
};

const isUnnamedWait = ({ cause }: CostCell) => cause === 'runnable';

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isUnnamedWait);
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const lost = `${cost.isBound ? 'about ' : ''}${shareText(facts, cost.ns)}`;
  const waited = evidence(
    `${lost} in which the training thread was ready to run, but had no CPU`,
    cost.isBound ? partBasis(facts.trace) : basisHere(facts.trace),
    cost.events,
  );
  const isOutside = hasOnlyOwnSlices(facts.trace);
  const unnamed = isOutside
    ? evidence(`No thread of this job had these CPUs meanwhile: ${NOT_OF_THE_JOB}`, 'exact')
    : evidence('Who ran on the CPUs meanwhile is not in this trace', 'unknown');
  const who = isOutside
    ? `No thread of this job had the CPUs meanwhile: it was ${NOT_OF_THE_JOB}. Which process is not recorded.`
    : 'Who had the CPUs meanwhile is not recorded: other threads of the job, of other containers, or a CPU quota.';
  return {
    title: 'The training thread waits for a CPU',
    sentence: `The training thread was ready to run, but without a CPU, for ${lost}. ${who}`,
    confidence: 'likely',
    evidence: [waited, ...measuredInCalls(facts, cost.ns), unnamed],
    claims: isUnnamedWait,
    gain: { reach: 'waits' },
    fix,
    chain: {
      system: unnamed,
      host: waited,
      cuda: idleDevice(facts, isUnnamedWait),
    },
  };
}

/** The sums of all calls, where they come to more than what delayed the loop for all that is known. */
function measuredInCalls({ trace, rank, window }: RankFacts, delayedNs: number) {
  if (trace.tables.off_cpu.rows > 0) return [];
  const { startNs, runQueueNs } = trace.tables.cuda_call.columns;
  let ns = 0;
  for (const row of loopCalls(trace, rank.mainThread).rows)
    if (startNs[row] >= window[0] && startNs[row] < window[1])
      ns += Math.max(0, runQueueNs?.[row] ?? 0);
  if (ns <= delayedNs) return [];
  const text = `${formatDuration(ns)} of such waits were measured inside its CUDA calls in all: that the rest of them delayed anything is not proven`;
  return [evidence(text, basisHere(trace))];
}

/** What of a call's sum fell into a part of the call is worked out from its length. */
function partBasis(trace: Trace): Basis {
  const basis = basisHere(trace);
  return basis === 'exact' ? 'inferred' : basis;
}

/** Of single waits, or as the recorder's sums around calls are known. */
function basisHere({ tables }: Trace): Basis {
  const { columnProvenance, provenance } = tables.cuda_call;
  if (tables.off_cpu.rows > 0) return basisOf(tables.off_cpu.provenance);
  return basisOf(columnProvenance.runQueueNs ?? provenance);
}

const fix: Fix = {
  title: 'Find what else uses the CPUs, then ask less of them or get more',
  text: 'The lines below show how many CPUs may be used where you run them, then the threads that use CPUs most. Where more of these are the job’s than there are CPUs, use fewer DataLoader workers and one thread in each of them (`torch.set_num_threads(1)`). Where the list is short, the CPUs are taken outside of the container or by its quota: raise its CPU limit, and record with Stalltrace’s agent as root on the host to see by whom.',
  before: 'nproc',
  after: 'nproc; ps -eLo pid,tid,psr,pcpu,comm --sort=-pcpu | head -n 15',
  language: 'shell',
  sources: [kernelDocs('Control Group v2, CPU interface files', 'admin-guide/cgroup-v2.html')],
};
