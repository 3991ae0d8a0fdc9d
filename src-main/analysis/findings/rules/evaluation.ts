import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { placeText } from '../../host/stack-kinds.ts';
import { spansLength } from '../../index/spans.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { hostCell, isForCpu, judgeHost, mostShare } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const TITLE = 'Training waits while the model is evaluated';

/** Training waits while the model is evaluated. */
export const evaluation: Rule = { id: 'evaluation', needs: [hostActivity], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const onHost = judgeHost(facts, {
    kind: 'evaluation',
    title: TITLE,
    doing: 'evaluating, outside of CUDA calls',
    fix: () => fix,
  });
  return facts.evaluations.rows.length === 0 ? onHost : (judgeWhole(facts) ?? onHost);
}

const isOnHost = hostCell('evaluation');

/** In CUDA calls that were made for it: also the GPU works for it meanwhile. */
const isInCall = ({ phase, cause, activity }: CostCell) =>
  phase !== 'other' && activity === 'evaluation' && !isForCpu(cause);

const claims = (cell: CostCell) => isOnHost(cell) || isInCall(cell);

/** Where the stacks of its CUDA calls show when it began and ended. */
function judgeWhole(facts: RankFacts): Judgement | undefined {
  const { costs, trace } = facts;
  const { rows, spans, place: row } = facts.evaluations;
  const { ns, events } = claimed(costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const hostNs = claimed(costs, isOnHost).ns;
  const lengthNs = spansLength(spans);
  const count = spans.startsNs.length;
  const place = placeText(trace.stacks, trace.stacks.frame[row]);
  const often = `${plural(count, 'time', 'times')}, ${formatDuration(lengthNs / count)}${count > 1 ? ' on average' : ''}`;
  const shown = evidence(
    `${plural(rows.length, 'CUDA call')} of ${place} and what it calls, ${formatDuration(ns - hostNs)} in all`,
    'exact',
    refsTo('cuda_call', rows),
  );
  const host = `Training stood still for ${shareText(facts, ns)} while the model was evaluated in ${place}: ${often}`;
  const hostShare = hostNs > 0 ? mostShare(facts, hostNs, 'evaluation') : 1;
  return {
    title: `${TITLE} in ${place}`,
    ...blames(place),
    sentence: `${host}. ${formatDuration(ns - hostNs)} of that went to its CUDA calls. Where it waited for its own batches, that counts as input.`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread],
    claims,
    gainShare: (ns - hostNs + hostShare * hostNs) / ns,
    // All of it goes, with its batches and with what the GPU computed for it.
    gain: { reach: 'own', moreNs: Math.max(0, lengthNs - ns), gpuNs: lengthNs },
    fix,
    chain: {
      system: shown,
      host: evidence(host, 'inferred', events),
      cuda: evidence('The GPU worked for the evaluation meanwhile', 'inferred', shown.events),
    },
  };
}

const fix: Fix = {
  title: 'Evaluate in larger batches, on the GPU, and less often',
  text: 'Training stands still for all of it. Without gradients a batch may be larger, sums on the GPU are read once at the end, and a subset of the data tells as much between epochs. The whole set can be evaluated from a checkpoint, in a job of its own.',
  before: `def evaluate():
    right = 0
    for inputs, targets in DataLoader(dataset, batch_size=1):
        right += int(model(inputs.to(device)).argmax(1).cpu() == targets)
    return right / len(dataset)`,
  after: `def evaluate():
    right = torch.zeros((), device=device)
    with torch.inference_mode():
        for inputs, targets in DataLoader(dataset, batch_size=8 * batch_size):
            right += (model(inputs.to(device)).argmax(1) == targets.to(device)).sum()
    return right.item() / len(dataset)`,
  language: 'python',
  sources: [
    pytorchDocs(
      'inference_mode',
      'docs/stable/generated/torch.autograd.grad_mode.inference_mode.html',
    ),
  ],
};
