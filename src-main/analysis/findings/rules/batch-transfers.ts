import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatBytes, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { isH2d } from '../../loop/loop-calls.ts';
import { JUDGED_ABOVE_BYTES } from '../../operations/copy-facts.ts';
import { callSites } from '../facts/call-site.ts';
import { functionOf } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, windowNs } from '../facts/job-shape.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { pytorchDocs } from '../facts/sources.ts';
import { windowCalls } from '../facts/window-calls.ts';

/** A step with fewer small copies has nothing to put together: our own choice. */
const MIN_PER_STEP = 8;
/** The cost cells do not tell small copies from large ones: they are claimed only where nearly all are small. */
const NEARLY_ALL = 0.8;

/** Many tiny copies to the GPU a step: each costs its launch, not its bytes. */
export const batchTransfers: Rule = {
  id: 'batch-transfers',
  needs: [],
  judge,
};

const isCopying = ({ phase, cause }: CostCell) => phase === 'h2d' && cause !== 'staging';

function judge(facts: RankFacts): Judgement | undefined {
  const { steps, trace } = facts;
  if (steps.basis === 'none' || steps.count === 0) return undefined;
  const { rows, ns, bytes } = smallCopies(facts);
  const perStep = rows.length / steps.count;
  if (perStep < MIN_PER_STEP || !isWorthTelling(facts, ns)) return undefined;
  const cost = claimed(facts.costs, isCopying);
  const isMostOf = cost.ns > 0 && ns >= cost.ns * NEARLY_ALL;
  const small = evidence(
    `${perStep.toFixed(0)} copies a step of ${formatBytes(bytes / rows.length)} on average, ${formatDuration(ns / rows.length)} each`,
    'exact',
    refsTo('cuda_call', rows),
  );
  const took = evidence(
    `${plural(rows.length, 'small copy', 'small copies')} took ${formatDuration(ns)} (${formatShare(ns, windowNs(facts))} of the time)`,
    'exact',
    refsTo('cuda_call', rows),
  );
  const { sites, main } = callSites(trace, rows);
  const [first] = sites;
  const site =
    first === undefined
      ? []
      : [
          evidence(
            `${first.place} makes ${formatShare(first.count, rows.length)} of them`,
            'exact',
          ),
        ];
  return {
    title: `Many small copies to the GPU${main === undefined ? '' : `, in ${main.place}`}`,
    ...(main !== undefined && { culprit: functionOf(main.place) }),
    sentence: `${small.text}: ${formatDuration(ns)} in all, for ${formatBytes(bytes)}.`,
    confidence: 'likely',
    evidence: [small, took, ...site],
    ...(isMostOf && { claims: isCopying, gainShare: Math.min(1, ns / cost.ns) }),
    fix: fixFor(perStep),
    chain: {
      system: site[0] ?? small,
      host: took,
      cuda: small,
    },
  };
}

function fixFor(perStep: number): Fix {
  return {
    title: `Put the ${perStep.toFixed(0)} copies of a step into one`,
    text: 'A copy this small costs what it costs to launch it. Put the values together on the host, copy once, and take them apart on the GPU.',
    before:
      'numbers = [0.1, 0.2, 0.3]\nvalues = [torch.tensor(number, device=device) for number in numbers]',
    after: 'numbers = [0.1, 0.2, 0.3]\nvalues = torch.tensor(numbers).to(device).unbind()',
    language: 'python',
    sources: [
      pytorchDocs('Performance tuning guide', 'tutorials/recipes/recipes/tuning_guide.html'),
    ],
  };
}

function smallCopies(facts: RankFacts): { rows: number[]; ns: number; bytes: number } {
  const { columns } = facts.trace.tables.cuda_call;
  const { bytes } = columns;
  const small = { rows: [] as number[], ns: 0, bytes: 0 };
  if (bytes === undefined) return small;
  for (const row of windowCalls(facts).rows) {
    if (!isH2d(facts.trace, row)) continue;
    if (bytes[row] < 0 || bytes[row] > JUDGED_ABOVE_BYTES) continue;
    small.rows.push(row);
    small.ns += columns.durationNs[row];
    small.bytes += bytes[row];
  }
  return small;
}
