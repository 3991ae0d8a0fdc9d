import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { spansLength } from '../../index/spans.ts';
import { placeText } from '../../stacks/place-text.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { BESIDE_LOOP, besideLoop } from '../fixes/beside-loop.ts';
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
    fix: ({ place }) => asideFix(place),
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
    fix: gpuFix,
    chain: {
      system: shown,
      host: evidence(host, 'inferred', events),
      cuda: evidence('The GPU worked for the evaluation meanwhile', 'inferred', shown.events),
    },
  };
}

const LESS =
  'A part of the data tells as much in between, and all of it is for the end, or for a job of its own that takes a checkpoint.';

/** Of what is computed on the CPU for it: the figure stays as it is, whatever it is. */
function asideFix(place: string | undefined): Fix {
  return {
    title: `Let another process do ${place === undefined ? 'it' : `what ${place} does`}, and evaluate less often`,
    text: `Training stands still for all of it. ${BESIDE_LOOP} ${LESS}`,
    ...besideLoop('your_evaluate', 'if step % your_every == 0:'),
  };
}

/** Where the model is called for it. */
const gpuFix: Fix = {
  title: 'Evaluate on the GPU, in larger batches, and less often',
  text: `Training stands still for all of it. Without gradients a batch may be larger; what is worked out of its results stays on the GPU, and is fetched once, at the end. The figure is yours, as it was: only where it is computed changes. ${LESS}`,
  before: `values = []
for inputs, targets in your_eval_loader:
    outputs = your_model(inputs.to(your_device))
    values.append(float(your_metric(outputs.cpu(), targets)))  # waits for the GPU each time
your_use_of(values)`,
  after: `values = []
with torch.inference_mode():  # nothing is kept for gradients
    for inputs, targets in your_eval_loader:
        outputs = your_model(inputs.to(your_device))
        values.append(your_metric(outputs, targets.to(your_device)))  # a tensor, on the GPU
your_use_of(torch.stack(values).tolist())  # fetched once, in the same order`,
  language: 'python',
  sources: [
    pytorchDocs(
      'inference_mode',
      'docs/stable/generated/torch.autograd.grad_mode.inference_mode.html',
    ),
  ],
};
