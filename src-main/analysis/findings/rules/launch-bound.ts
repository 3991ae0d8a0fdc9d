import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { shareText, windowNs } from '../facts/job-shape.ts';
import { DOMINANT_SHARE } from '../facts/loader-work.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { runsIn, worksOf } from '../judging/judge-host.ts';
import { kernelRecords } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** A graph is a change of the training loop: not for less than this share of the time. Our own choice. */
const NOTABLE_SHARE = 0.1;

/** The kernels are shorter than it takes to launch the next: the GPU waits for launches. */
export const launchBound: Rule = {
  id: 'launch-bound',
  needs: [kernelRecords],
  judge,
};

const isLaunching = ({ cause }: CostCell) => cause === 'launching';

function judge(facts: RankFacts): Judgement | undefined {
  const time = facts.starvation.recorded?.all;
  const cost = claimed(facts.costs, isLaunching);
  if (time === undefined || cost.ns < windowNs(facts) * NOTABLE_SHARE) return undefined;
  const { computingNs, kernels } = time;
  if (kernels === 0) return undefined;
  const idle = evidence(
    `The GPU was idle for ${shareText(facts, cost.ns)} while the loop launched kernels one by one`,
    'exact',
    cost.events,
  );
  const launched = evidence(
    `It ran ${plural(kernels, 'kernel')}${stepText(facts, kernels)}, for ${formatDuration(computingNs / kernels)} each on average`,
    'exact',
  );
  const busy = evidence(
    `It computed for ${formatShare(computingNs, windowNs(facts))} of the time`,
    'exact',
  );
  return {
    title: 'The GPU waits for kernels to be launched',
    sentence: `${idle.text}. ${launched.text}: it takes longer to launch the next.${placeText(facts)}`,
    confidence: 'proven',
    evidence: [idle, launched, busy],
    claims: isLaunching,
    // With one launch for all goes what the loop does for each, as far as the GPU is not what it waits for.
    gain: { reach: 'own', moreNs: claimed(facts.costs, isBesideLaunching).ns },
    fix: fix(),
    chain: { system: launched, host: idle, cuda: busy },
  };
}

/** On a CPU, and not known to be for anything else. */
const isBesideLaunching = ({ phase, whose, cause, activity = 'none' }: CostCell) =>
  phase === 'other' &&
  whose === 'main' &&
  cause !== 'launching' &&
  runsIn(cause) &&
  activity === 'none';

/** ` Most of the loop’s own time was in forward (model.py:12).` */
function placeText(facts: RankFacts): string {
  const works = worksOf(facts);
  const [most] = works;
  const allNs = works.reduce((sum, { ns }) => sum + ns, 0);
  if (most?.place === undefined || most.ns < allNs * DOMINANT_SHARE) return '';
  return ` Most of the loop’s own time was in ${most.place}.`;
}

function stepText({ steps }: RankFacts, kernels: number): string {
  return steps.count > 0 ? `, ${(kernels / steps.count).toFixed(0)} a step` : '';
}

function fix(): Fix {
  return {
    title: 'Launch the model as one CUDA graph instead of kernel by kernel',
    text: 'A graph is launched with one call, whatever is in it. From PyTorch 2.0 on `torch.compile(model, mode="reduce-overhead")` does so by itself, as below; before, torch.cuda.make_graphed_callables() does for a model of fixed shapes. A batch of another size is compiled anew, and what the model returned is overwritten by the next call: clone() what you keep of it. Larger batches help too, as far as memory allows: then each kernel has more to do.',
    before: `for batch in your_loader:
    your_step(batch)`,
    after: `if hasattr(torch, "compile"):  # from PyTorch 2.0 on
    your_model = torch.compile(your_model, mode="reduce-overhead")  # before the loop
for batch in your_loader:
    your_step(batch)`,
    language: 'python',
    sources: [
      pytorchDocs('CUDA graphs', 'docs/stable/notes/cuda.html#cuda-graphs'),
      pytorchDocs('torch.compile', 'docs/stable/generated/torch.compile.html'),
    ],
  };
}
