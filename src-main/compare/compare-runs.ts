import type {
  ComparedFigure,
  ComparedOperation,
  ComparedPart,
  RunComparison,
  RunDifference,
} from '../shared/answers/comparison.ts';
import { notCompared, runDifferences } from '../shared/answers/run-differences.ts';
import type { RunOperation, RunSteps, RunSummary } from '../shared/answers/run-summary.ts';
import { stepChange } from '../shared/answers/step-change.ts';
import { mean, ratioOfMeans } from '../shared/numbers/block-bootstrap.ts';
import { formatDuration, formatShare, plural } from '../shared/text/units.ts';
import { alsoDiffer, changeText } from '../shared/words/comparison-words.ts';
import { changedFindings, comparedFindings } from './compared-findings.ts';
import { comparedRanks, whichRanks } from './compared-ranks.ts';
import { comparedRoles } from './compared-roles.ts';
import { partsOfBoth } from './parts-of-both.ts';

/** With fewer steps the interval is said to be of few. */
const FEW_STEPS = 30;
/** So much of a step lying between steps is told. Our own choice. */
const BETWEEN_SHARE = 0.03;

/** What became of `first` in `second`: swapped, every ratio is inverted. */
export function compareRuns(first: RunSummary, second: RunSummary): RunComparison {
  const differences = runDifferences(
    first.environment,
    second.environment,
    changedFindings(first, second),
  );
  const { steps: one } = first;
  const { steps: other } = second;
  const hasSteps = one !== undefined && other !== undefined;
  const step = hasSteps ? figure(one.durationsNs, other.durationsNs) : undefined;
  const judged = judge(first, second, step, differences);
  const comparison: RunComparison = {
    ...judged,
    judged: { first: first.judged, second: second.judged },
    ...(step && { step }),
    firstSteps: one?.count ?? 0,
    secondSteps: other?.count ?? 0,
    firstWarmUp: one?.before ?? 0,
    secondWarmUp: other?.before ?? 0,
    differences,
    parts: hasSteps ? comparedParts(one, other) : [],
    ranks: comparedRanks(first, second),
    operations: hasSteps ? comparedOperations(first, second, one, other) : [],
    roles: comparedRoles(first, second),
    findings: comparedFindings(first, second, {
      ...{ verdict: judged.verdict, differences },
      ...(step && { step }),
    }),
    stackWeights: first.stackWeights.filter((weight) => second.stackWeights.includes(weight)),
    notes: notesOf(first, second),
  };
  return judged.verdict === 'not-comparable' ? withoutRatios(comparison) : comparison;
}

/** The figures of both side by side: of jobs that can't be compared a ratio says nothing. */
function withoutRatios(comparison: RunComparison): RunComparison {
  const { step, parts, ranks, operations, roles } = comparison;
  return {
    ...comparison,
    ...(step && { step: withoutRatio(step) }),
    parts: parts.map(withoutRatio),
    ranks: ranks.map(withoutRatio),
    operations: operations.map(withoutRatio),
    roles: roles.map(withoutRatio),
  };
}

function withoutRatio<T extends Partial<ComparedFigure>>(
  figure: T,
): Omit<T, 'ratio' | 'low' | 'high'> {
  const { ratio, low, high, ...rest } = figure;
  return rest;
}

type Judged = Pick<RunComparison, 'verdict' | 'sentence'>;

function judge(
  first: RunSummary,
  second: RunSummary,
  step: ComparedFigure | undefined,
  differences: readonly RunDifference[],
): Judged {
  const told = stepChange(first, second, differences);
  if ('why' in told) {
    const isOther = told.change === 'not-comparable';
    const sentence = isOther
      ? `Not comparable: their steps do other work, or on another machine. What differs: ${told.why}. The figures of both stand side by side, without a ratio.`
      : `Cannot tell whether steps are shorter. ${told.why}`;
    return { verdict: told.change, sentence };
  }
  const checks = differences.flatMap(({ check }) => (check === undefined ? [] : `${check} `));
  const before = checks.join('');
  const { firstNs = 0, secondNs = 0 } = step ?? {};
  const figures = `A mean step takes ${formatDuration(secondNs)} instead of ${formatDuration(firstNs)}: ${changeText(told.interval)}`;
  const few = Math.min(first.steps?.count ?? 0, second.steps?.count ?? 0);
  const unsure = few < FEW_STEPS ? ` Only ${plural(few, 'step')} of a run could be compared.` : '';
  if (told.change === 'hardly' || told.change === 'not-measurable') {
    const change =
      told.change === 'hardly'
        ? 'Hardly any change: two recordings of one job differ by as much.'
        : 'No measurable change.';
    return { verdict: 'no-measurable-change', sentence: `${before}${change} ${figures}.${unsure}` };
  }
  const others = differences.filter(({ kind }) => kind === 'explains');
  const held =
    others.length === 0
      ? ''
      : ` What made the difference cannot be told: beside any change of yours, ${alsoDiffer(others)}.`;
  const [verdict, word] =
    told.change === 'shorter' ? (['improved', 'Faster'] as const) : (['worse', 'Slower'] as const);
  return { verdict, sentence: `${before}${word}. ${figures}.${held}${unsure}` };
}

function figure(first: readonly number[], second: readonly number[]): ComparedFigure {
  const [firstNs, secondNs] = [mean(first), mean(second)];
  const found = ratioOfMeans(first, second);
  if (found !== undefined) return { firstNs, secondNs, ...found };
  return { firstNs, secondNs, ...(firstNs > 0 && secondNs > 0 && { ratio: secondNs / firstNs }) };
}

function comparedParts(first: RunSteps, second: RunSteps): ComparedPart[] {
  const { phases, labelOf, seriesOf } = partsOfBoth(first, second);
  return phases
    .map((phase) => ({
      phase,
      label: labelOf(phase),
      ...figure(seriesOf(first, phase), seriesOf(second, phase)),
    }))
    .filter(({ firstNs, secondNs }) => firstNs > 0 || secondNs > 0);
}

function comparedOperations(
  first: RunSummary,
  second: RunSummary,
  one: RunSteps,
  other: RunSteps,
): ComparedOperation[] {
  const key = ({ name, direction, sizeBucket }: RunOperation) =>
    JSON.stringify([name, direction, sizeBucket]);
  const ofSecond = new Map(second.operations.map((each) => [key(each), each]));
  const ofFirst = new Map(first.operations.map((each) => [key(each), each]));
  // Which of the two is asked first must not change which rows there are.
  return [...new Set([...ofFirst.keys(), ...ofSecond.keys()])]
    .map((each): ComparedOperation => {
      const [was, is] = [ofFirst.get(each), ofSecond.get(each)];
      const { name, direction, sizeBucket } = (was ?? is) as RunOperation;
      const firstNs = (was?.totalNs ?? 0) / one.count;
      const secondNs = (is?.totalNs ?? 0) / other.count;
      return {
        ...{ name, direction, sizeBucket },
        ...(was && is ? figure(was.stepNs, is.stepNs) : { firstNs, secondNs }),
        ...(was && { firstMedianNs: was.medianNs }),
        ...(is && { secondMedianNs: is.medianNs }),
      };
    })
    .sort((a, b) => Math.abs(b.secondNs - b.firstNs) - Math.abs(a.secondNs - a.firstNs));
}

function notesOf(first: RunSummary, second: RunSummary): string[] {
  const runs = [
    ['first', first],
    ['second', second],
  ] as const;
  const notes = runs.flatMap(([which, { steps, operationsNote }]) => {
    const told: string[] = [];
    const stepNs = steps === undefined ? 0 : mean(steps.durationsNs);
    if (steps !== undefined && steps.betweenNs >= BETWEEN_SHARE * stepNs)
      told.push(
        `In the ${which} run ${formatDuration(steps.betweenNs)} pass between two steps (${formatShare(steps.betweenNs, stepNs)} of a step). That time is not compared.`,
      );
    if (operationsNote !== undefined && operationsNote !== '')
      told.push(`CUDA calls of the ${which} run: ${operationsNote}`);
    return told;
  });
  notes.push(...whichRanks(first, second));
  if (BigInt(second.beginUnixNs) < BigInt(first.beginUnixNs))
    notes.push('The second run was recorded before the first one.');
  notes.push(...openNotes(first, second));
  return notes;
}

/** What could not be compared: a value that one run alone tells stands there, so that the other can be looked up. */
function openNotes(first: RunSummary, second: RunSummary): string[] {
  const open = notCompared(first.environment, second.environment);
  const ofOne = (['first', 'second'] as const).flatMap((which) => {
    const other = which === 'first' ? 'second' : 'first';
    const told = open.flatMap((fact) =>
      fact[which] === undefined ? [] : `${fact.what}: ${fact[which] || 'none'}`,
    );
    return told.length === 0
      ? []
      : [
          `Known of the ${which} run only, and so not compared: ${told.join('; ')}. The ${other} run does not tell.`,
        ];
  });
  const ofNone = open.filter((fact) => fact.first === undefined && fact.second === undefined);
  if (ofNone.length === 0) return ofOne;
  const names = ofNone.map(({ what }) => what).join(', ');
  return [...ofOne, `Known of neither run, and so not compared: ${names}.`];
}
