import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import type { DeviceTime } from '../../../shared/answers/steps.ts';
import { lowerFirst } from '../../../shared/text/text.ts';
import { formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { windowNs } from '../facts/job-shape.ts';
import { optimisationGuide, pytorchDocs, traceMl } from '../fixes/sources.ts';
import type { Judgement, Rule } from '../rule.ts';

/** TraceML calls a step with so much compute COMPUTE-BOUND. */
const COMPUTE_SHARE = 0.9;
/** With more idle time than this, compute alone does not keep the GPU busy. */
const IDLE_SHARE = 0.1;

/** Nearly all time is compute: the input path is fine, and there is nothing to win on it. */
export const notInput: Rule = {
  id: 'not-input',
  needs: [],
  judge,
};

const isInput = ({ phase }: CostCell) => phase === 'input';
const isCompute = ({ phase }: CostCell) => phase === 'compute';

function judge(facts: RankFacts): Judgement | undefined {
  const { split, starvation, rank, steps } = facts;
  const ns = windowNs(facts);
  // A few calls of a start are no training loop.
  if (steps.basis === 'none') return undefined;
  if (ns <= 0) return undefined;
  if (starvation.recorded !== undefined) return byRecords(facts, starvation.recorded.devices);
  if (split.compute < ns * COMPUTE_SHARE) return undefined;
  if (starvation.basis !== 'unknown' && starvation.idleNs >= ns * IDLE_SHARE) return undefined;
  const computing = claimed(facts.costs, isCompute);
  const waiting = claimed(facts.costs, isInput);
  const share = formatShare(split.compute, ns);
  const compute = evidence(
    `${rank.label} spent ${share} of its time on compute and on waiting for it`,
    'exact',
    computing.events,
  );
  const input = evidence(
    `Waiting for input took ${formatShare(split.input, ns)}, copies to the GPU ${formatShare(split.h2d, ns)}`,
    'exact',
    waiting.events,
  );
  const idle = idleGpu(starvation, ns);
  return {
    title: 'The input path is fine',
    sentence: `${compute.text}; ${lowerFirst(input.text)}. A faster DataLoader would win nothing.`,
    confidence: starvation.basis === 'exact' ? 'proven' : 'likely',
    evidence: [compute, input, idle],
    fix: fix(facts.steps.infers === true),
    isFine: true,
    chain: { system: input, host: compute, cuda: idle },
  };
}

/** By the GPU's own records: every GPU of the rank computes, whatever the loop waits for meanwhile. */
function byRecords(facts: RankFacts, devices: readonly DeviceTime[]): Judgement | undefined {
  const { split, starvation, rank } = facts;
  const ns = windowNs(facts);
  const all = starvation.recorded?.all;
  if (all === undefined || devices.some((time) => time.computingNs < ns * COMPUTE_SHARE))
    return undefined;
  const busy = evidence(
    `${all.label} computed for ${formatShare(all.computingNs, ns)} of the time of ${rank.label}, and was idle for ${formatShare(all.idleNs, ns)}`,
    'exact',
  );
  const input = evidence(
    `The loop waited for input for ${formatShare(split.input, ns)} of its time; the GPU was idle meanwhile for ${formatShare(all.idleBy.input, ns)}`,
    'exact',
    claimed(facts.costs, isInput).events,
  );
  const loop = evidence(
    `The loop spent ${formatShare(split.compute, ns)} of its time on compute and on waiting for it`,
    'exact',
    claimed(facts.costs, isCompute).events,
  );
  return {
    title: 'The input path is fine',
    sentence: `${busy.text}. A faster DataLoader would win ${formatShare(all.idleBy.input, ns)} at most.`,
    confidence: 'proven',
    evidence: [busy, input, loop],
    fix: fix(facts.steps.infers === true),
    isFine: true,
    chain: { system: input, host: loop, cuda: busy },
  };
}

function idleGpu({ basis, idleNs }: RankFacts['starvation'], ns: number): Evidence {
  if (basis === 'unknown') return evidence('When the GPU was idle is not in this trace', 'unknown');
  const orMore = basis === 'bound' ? ' or more' : '';
  const text = `The GPU provably had nothing to do for ${formatShare(idleNs, ns)}${orMore}`;
  return evidence(text, basis === 'exact' ? 'exact' : 'inferred');
}

function fix(infers: boolean): Fix {
  return {
    title: 'Look at the kernels next, with a kernel profiler',
    text: `Leave ${infers ? 'the input' : 'the loader'} as it is. The PyTorch profiler lists the operators that take the time; Nsight Systems shows the kernels and the gaps between them. A GPU that is busy all the time may still be slow: its utilisation says that it was busy, not how well it was used.`,
    before: `for batch in your_loader:
    your_step(batch)`,
    after: `from itertools import islice
from torch.profiler import ProfilerActivity, profile

activities = [ProfilerActivity.CPU]
if torch.cuda.is_available():
    activities.append(ProfilerActivity.CUDA)
with profile(activities=activities) as profiler:
    for batch in islice(your_loader, 20):  # twenty steps are enough
        your_step(batch)
print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=15))`,
    language: 'python',
    sources: [
      traceMl(),
      optimisationGuide(),
      pytorchDocs('torch.profiler', 'docs/stable/profiler.html'),
    ],
  };
}
