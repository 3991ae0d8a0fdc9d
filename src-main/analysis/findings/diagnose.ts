import type { Diagnosis, Finding, RankDiagnosis } from '../../shared/answers/diagnosis.ts';
import type { Job } from '../../shared/answers/jobs.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { phaseLabel } from '../../shared/words/phase-rows.ts';
import { mainCause } from '../../shared/words/verdict-answer.ts';
import { jobsOf } from '../jobs/job-index.ts';
import { type Straggler, stragglerOf } from '../steps/straggler.ts';
import { summedVerdict } from '../steps/summed-calls.ts';
import { rankVerdict } from '../steps/verdict.ts';
import { causalChain } from './causal-chains.ts';
import {
  type Claim,
  claimCells,
  costBasis,
  severityOf,
  toldTime,
  totalCost,
  whyCostsLess,
} from './claim-costs.ts';
import { strongestClues } from './clues.ts';
import { costBar } from './cost-bar.ts';
import { diagnosisHeadline } from './diagnosis-headline.ts';
import { experimentFor } from './experiment.ts';
import { evidence } from './facts/evidence.ts';
import type { RankFacts } from './facts/facts.ts';
import { rankFacts } from './facts/rank-facts.ts';
import { inJobWords, withJobTitle } from './finding-words.ts';
import { ofJob } from './fixes/of-job.ts';
import { ofOneLoader } from './fixes/one-loader.ts';
import { gainBound, tellingBound } from './gain-bound.ts';
import { hostBreakdown } from './host-breakdown.ts';
import { inputBreakdown } from './input-breakdown.ts';
import { largerUnknown } from './larger-unknown.ts';
import { withOneFigure, withOwnWords } from './one-figure.ts';
import { openQuestions } from './open-questions.ts';
import { orderFindings } from './order-findings.ts';
import type { Judgement, Rule } from './rule.ts';
import { rules } from './rules.ts';
import { unknownInput } from './unknown-input.ts';

/** What is known of one rank, and which finding claims which of its cells. */
interface JudgedRank {
  readonly facts: RankFacts;
  readonly claims: readonly Claim[];
  readonly findings: readonly Finding[];
  readonly summary: RankDiagnosis;
}

/** A diagnosis with what is needed to say which findings bear on one call. */
export interface Diagnosed {
  readonly diagnosis: Diagnosis;
  readonly ranks: readonly JudgedRank[];
}

const known = new WeakMap<Trace, Diagnosed>();

/** "Why slow" of the whole trace, worked out once. `trace` must have its roles (withRoles). */
export function diagnose(trace: Trace): Diagnosed {
  const before = known.get(trace);
  if (before !== undefined) return before;
  const jobs = jobsOf(trace);
  const judged = rankFacts(trace, jobs).map(judgeRank);
  const diagnosed = {
    diagnosis: combine(trace, judged, stragglerAmong(jobs, judged)),
    ranks: judged,
  };
  known.set(trace, diagnosed);
  return diagnosed;
}

/** The diagnosis of `trace` if it has been worked out. */
export function knownDiagnosis(trace: Trace): Diagnosed | undefined {
  return known.get(trace);
}

function judgeRank(facts: RankFacts): JudgedRank {
  // Costs of a selection are no shares of the time: no finding can claim them.
  const judgedFacts = facts.steps.isSelection ? { ...facts, costs: [] } : facts;
  const judged = rules.flatMap((rule) => {
    const judgement = judgeRule(rule, judgedFacts);
    if (judgement === undefined) return [];
    return [{ id: rule.id, judgement: onItsHost(facts, withJobTitle(judgement, facts.steps)) }];
  });
  const claims = claimCells(judged, judgedFacts.costs).map((claim) => ({
    ...claim,
    judgement: withOneFigure(
      withOwnWords(claim),
      toldTime(claim.judgement, judgedFacts.costs),
      totalCost(claim.cells),
      facts.window[1] - facts.window[0],
    ),
  }));
  const mostNs = claims.reduce((most, { cells }) => Math.max(most, totalCost(cells)), 0);
  const found = orderFindings(
    claims.map((claim) => findingOf(judgedFacts, claim, totalCost(claim.cells) === mostNs)),
  );
  const findings = ofOneLoader(found);
  return { facts, claims, findings, summary: summaryOf(facts) };
}

/** `judgement` with a title that says of which host it is, where there are several. */
function onItsHost({ trace, rank }: RankFacts, judgement: Judgement): Judgement {
  const host = hostNote(trace, trace.processes[rank.process]);
  const isSaid = host === undefined || judgement.title.includes(` on ${host}`);
  return isSaid ? judgement : { ...judgement, title: `${judgement.title} · ${host}` };
}

/** A rule whose evidence is not in the trace is not asked. */
function judgeRule(rule: Rule, facts: RankFacts) {
  const isMissing = rule.needs.some((need) => need.missing(facts.trace) !== undefined);
  return isMissing ? undefined : rule.judge(facts);
}

function findingOf(facts: RankFacts, claim: Claim, isCostliest: boolean): Finding {
  const { id, judgement, cells } = claim;
  const costNs = totalCost(cells);
  const windowNs = facts.window[1] - facts.window[0];
  const costShare = windowNs > 0 ? costNs / windowNs : 0;
  const { title, culprit, sentence, confidence, growth, hotThreads = [] } = judgement;
  const fix = ofJob(facts, judgement);
  // Requests come when they come: a server that answers faster waits longer for the next.
  const severity = severityOf(costShare, costNs > 0, isCostliest);
  const gain = facts.steps.serves
    ? undefined
    : tellingBound(gainBound(facts, judgement), severity, costNs);
  const finding: Finding = {
    id,
    rank: facts.index,
    title,
    ...(culprit !== undefined && { culprit }),
    sentence,
    severity,
    costNs,
    costShare,
    costBasis: costBasis(facts.starvation),
    confidence,
    ...(growth !== undefined && { growth: growth.text }),
    evidence: [
      ...(growth === undefined ? [] : [growth]),
      ...judgement.evidence,
      ...costEvidence(facts, claim),
    ],
    hotLines: hotThreads.length > 0 ? facts.hotLines(hotThreads) : [],
    fix,
    ...gain,
    ...(judgement.isFine !== true && {
      experiment: experimentFor(facts, costNs, gain?.gainUpToNs),
    }),
  };
  return inJobWords(finding, facts.steps);
}

/** Two figures of one finding are not left without a word. */
function costEvidence({ costs, starvation }: RankFacts, claim: Claim) {
  const why = whyCostsLess(claim, costs);
  return why === undefined ? [] : [evidence(why, costBasis(starvation))];
}

function summaryOf(facts: RankFacts): RankDiagnosis {
  const { rank, steps, inputKnown, starvation } = facts;
  const inputTime = inputBreakdown(facts);
  const hostTime = hostBreakdown(facts);
  const told = {
    ...{ rank, steps, inputKnown, starvation },
    ...(inputTime && { inputTime }),
    ...(hostTime && { hostTime }),
    ...placeAmongRanks(facts),
  };
  const judged = { ...told, ...rankVerdict(facts) };
  const isStored = facts.window[1] > facts.window[0];
  // Where not every call is stored, the recorder's sums speak, if it kept any.
  const summed =
    isStored && !steps.isSelection ? undefined : summedVerdict(facts.trace, rank.process);
  if (summed === undefined) return judged;
  // That no steps are found is said beside their times.
  const says = isStored && (steps.serves || steps.basis !== 'none');
  if (says) return { ...judged, sentence: `${judged.sentence} ${summed}` };
  return { ...told, verdict: 'unknown', severity: 'info', sentence: summed };
}

/** Where other ranks of its job are judged too. */
function placeAmongRanks({ job, siblings, collectives }: RankFacts) {
  const self = collectives?.ranks.find(({ isSelf }) => isSelf);
  if (siblings.length === 0) return {};
  if (collectives === undefined || self === undefined) return { job };
  const { last, allCostNs: othersWaitedNs } = self;
  const isLeader = collectives.leader?.rank === self;
  const lateness = { known: collectives.known, last, othersWaitedNs };
  return { job, lateness: { ...lateness, ...(isLeader && { isLeader }) } };
}

/** The rank of a job that keeps the others waiting for its input, if there is one. */
function stragglerAmong(jobs: readonly Job[], ranks: readonly JudgedRank[]): Straggler | undefined {
  for (const job of jobs) {
    const own = ranks.filter(({ facts }) => job.ranks.includes(facts.rank));
    const straggler = stragglerOf(
      own.map(({ facts: { rank, steps, unprovenNs } }) => ({
        label: rank.label,
        steps,
        unprovenNs,
      })),
    );
    if (straggler !== undefined) return { ...straggler, rank: own[straggler.rank].facts.index };
  }
  return undefined;
}

function combine(
  trace: Trace,
  ranks: readonly JudgedRank[],
  straggler: Straggler | undefined,
): Diagnosis {
  const findings = orderFindings(ranks.flatMap((rank) => rank.findings));
  const chains = ranks
    .flatMap(({ claims, findings: own }) =>
      claims.flatMap((claim) => {
        const finding = own.find(({ id }) => id === claim.id);
        const hasChain = finding !== undefined && finding.severity !== 'info';
        const others = claims.filter((other) => other !== claim);
        return hasChain ? [causalChain(finding, claim, others)] : [];
      }),
    )
    .sort((a, b) => b.costNs - a.costNs);
  const isSelection = ranks.some(({ facts }) => facts.steps.isSelection === true);
  const worst = ranks.toSorted((a, b) => waitShare(b) - waitShare(a)).at(0);
  const lead = straggler?.rank ?? worst?.facts.index;
  const isProven =
    straggler !== undefined ||
    worst?.summary.verdict !== 'unknown' ||
    findings.some(({ costNs }) => costNs > 0);
  const clues = isProven ? [] : strongestClues(trace, worst.summary);
  const told = leadOf(straggler, worst, findings);
  return {
    ...(lead !== undefined && { lead }),
    ...(told?.unknown !== undefined && { unexplained: told.unknown }),
    ...(told?.larger !== undefined && { largerUnknown: told.larger }),
    ...(clues.length > 0 && { clues }),
    verdict: straggler === undefined ? (worst?.summary.verdict ?? 'unknown') : 'input-straggler',
    severity: straggler?.severity ?? worst?.summary.severity ?? 'info',
    headline: diagnosisHeadline(
      trace,
      told,
      ranks.map(({ summary }) => summary),
      findings,
    ),
    ranks: ranks.map(({ summary }) => summary),
    findings,
    chains,
    costs: costBar(
      ranks.map(({ claims, facts, summary }) => ({
        claims,
        cells: facts.costs,
        label: (phase) => phaseLabel(phase, summary),
      })),
    ),
    windowNs: ranks.reduce((sum, { facts }) => sum + facts.window[1] - facts.window[0], 0),
    ...(isSelection && { isSelection }),
    cannotTell: openQuestions(trace, ranks.length, findings),
  };
}

/** What the headline begins with. */
function leadOf(
  straggler: Straggler | undefined,
  worst: JudgedRank | undefined,
  findings: readonly Finding[],
) {
  if (straggler !== undefined)
    return {
      sentence: straggler.sentence,
      rank: straggler.rank,
      isNamed: true,
      unknown: undefined,
      larger: undefined,
    };
  if (worst === undefined) return undefined;
  const { facts, summary, claims } = worst;
  const [costliest] = findings;
  const cause = mainCause({ findings });
  const isInput = summary.verdict === 'input-bound';
  const unknown = isInput ? unknownInput(facts, costliest?.costNs ?? 0, claims) : undefined;
  const own = cause?.rank === facts.index ? cause.costNs : 0;
  const larger = unknown === undefined ? largerUnknown(facts, own, claims) : undefined;
  return { sentence: summary.sentence, rank: facts.index, isNamed: false, unknown, larger };
}

/** How much of its time a rank waits: for its input, or by the GPU's own records for whatever. */
function waitShare({ facts: { split, starvation, window } }: JudgedRank): number {
  const waitedNs = starvation.recorded?.all.idleNs ?? split.input;
  return waitedNs / Math.max(1, window[1] - window[0]);
}
