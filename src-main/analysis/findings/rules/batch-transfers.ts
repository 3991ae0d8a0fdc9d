import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatBytes, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { withinCursor } from '../../index/spans.ts';
import { isH2d } from '../../loop/loop-calls.ts';
import { JUDGED_ABOVE_BYTES } from '../../operations/copy-facts.ts';
import { callSites } from '../facts/call-site.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { unevenText } from '../facts/how-often.ts';
import { isWorthTelling, windowNs } from '../facts/job-shape.ts';
import { type WindowCalls, windowCalls } from '../facts/window-calls.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { gainOfCpuWork, runsIn, worksOf } from '../judging/judge-host.ts';
import type { Judgement, Rule } from '../rule.ts';

/** A step with fewer small copies has nothing to put together: our own choice. */
const MIN_PER_STEP = 8;
/** The cost cells do not tell small copies from large ones: they are claimed only where nearly all are small. */
const NEARLY_ALL = 0.8;

/** What lies between two small copies without another call is the way from one to the next: our own choice, as the next. */
const NEAR_NS = 1e6;
/** Less of the loop's other time is not worth taking from what else it did. */
const WAY_AT_LEAST = 0.1;

/** Many tiny copies to the GPU a step: each costs its launch, and the way to it, not its bytes. */
export const batchTransfers: Rule = {
  id: 'batch-transfers',
  needs: [],
  judge,
};

const isCopying = ({ phase, cause }: CostCell) => phase === 'h2d' && cause !== 'staging';

function judge(facts: RankFacts): Judgement | undefined {
  const { steps, trace } = facts;
  if (steps.basis === 'none' || steps.count === 0) return undefined;
  const calls = windowCalls(facts);
  const { rows, ns, bytes } = smallCopies(facts, calls);
  const perStep = rows.length / steps.count;
  if (perStep < MIN_PER_STEP) return undefined;
  const way = wayBetween(facts, calls, rows);
  if (!isWorthTelling(facts, ns + way.ns)) return undefined;
  const cost = claimed(facts.costs, isCopying);
  const isMostOf = cost.ns > 0 && ns >= cost.ns * NEARLY_ALL;
  const claims = (cell: CostCell) =>
    (isMostOf && isCopying(cell)) || (way.share > 0 && isOwnWork(cell));
  const often = unevenText(facts.rowsRepeat(trace.tables.cuda_call.columns.startNs, rows));
  const small = evidence(
    `${perStep.toFixed(0)} copies a step${often}${often === '' ? '' : ','} of ${formatBytes(bytes / rows.length)} on average, ${formatDuration(ns / rows.length)} each`,
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
    ...blames(main?.place),
    sentence: `${small.text}: ${formatDuration(ns)} in all, for ${formatBytes(bytes)}.${wayText(facts, way)}`,
    confidence: 'likely',
    evidence: [small, took, ...site],
    ...((isMostOf || way.share > 0) && {
      claims,
      claimPart: (cell: CostCell) => (isOwnWork(cell) ? way.share : 1),
      // How much of the rest belongs to the making of what is copied, no call tells.
      ...(way.share === 0
        ? { gainShare: Math.min(1, ns / cost.ns) }
        : { gain: { ...gainOfCpuWork(facts), moreNs: isMostOf ? 0 : ns } }),
    }),
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
    before: 'values = [torch.tensor(number, device=your_device) for number in your_numbers]',
    after: 'values = torch.tensor(your_numbers).to(your_device).unbind()  # one copy for all',
    language: 'python',
    sources: [
      pytorchDocs('Performance tuning guide', 'tutorials/recipes/recipes/tuning_guide.html'),
    ],
  };
}

/** Of the loop’s own, on a CPU. */
const isOwnWork = ({ phase, whose, cause }: CostCell) =>
  phase === 'other' && whose === 'main' && runsIn(cause);

/** The loop’s own time between one small copy and the next. */
interface Way {
  readonly ns: number;
  /** Of its other time on a CPU, 0…1. Both are 0 where it is too little to tell. */
  readonly share: number;
}

const NO_WAY: Way = { ns: 0, share: 0 };

/** A blocking copy is waited for at once: the way to the next begins after that. */
function wayBetween(facts: RankFacts, calls: WindowCalls, small: readonly number[]): Way {
  const { startNs, durationNs, thread } = facts.trace.tables.cuda_call.columns;
  const isSmall = new Set(small);
  const isWithin = withinCursor(facts.hostTime);
  let ns = 0;
  let fromNs = Number.NaN;
  for (const row of calls.rows) {
    if (thread[row] !== facts.rank.mainThread) continue;
    const wayNs = startNs[row] - fromNs;
    const isCopy = isSmall.has(row);
    if (isCopy && wayNs > 0 && wayNs <= NEAR_NS && isWithin(fromNs, startNs[row])) ns += wayNs;
    const goesOn = isCopy || (wayNs <= NEAR_NS && calls.kindOf(row) === 'sync');
    fromNs = goesOn ? startNs[row] + durationNs[row] : Number.NaN;
  }
  const workNs = claimed(facts.costs, isOwnWork).ns;
  const share = workNs > 0 ? Math.min(1, ns / workNs) : 0;
  return share >= WAY_AT_LEAST ? { ns, share } : NO_WAY;
}

/** With less of that time, what else the loop did may be most of it. */
const NAMED_FROM = 0.5;
/** Functions with less of it are not named. */
const NAMED_SHARE = 0.1;

function wayText(facts: RankFacts, { ns, share }: Way): string {
  if (share === 0) return '';
  const works = worksOf(facts);
  const allNs = works.reduce((sum, work) => sum + work.ns, 0);
  const places = works.flatMap(({ place, ns: own }) =>
    place !== undefined && own >= allNs * NAMED_SHARE ? [place] : [],
  );
  const isNamed = share >= NAMED_FROM && places.length > 0;
  const where = isNamed ? `. Its own time was mostly in ${places.join(', ')}` : '';
  return ` From one to the next the loop took ${formatDuration(ns)} more${where}.`;
}

function smallCopies(
  facts: RankFacts,
  calls: WindowCalls,
): { rows: number[]; ns: number; bytes: number } {
  const { columns } = facts.trace.tables.cuda_call;
  const { bytes } = columns;
  const small = { rows: [] as number[], ns: 0, bytes: 0 };
  if (bytes === undefined) return small;
  for (const row of calls.rows) {
    if (!isH2d(facts.trace, row)) continue;
    if (bytes[row] < 0 || bytes[row] > JUDGED_ABOVE_BYTES) continue;
    small.rows.push(row);
    small.ns += columns.durationNs[row];
    small.bytes += bytes[row];
  }
  return small;
}
