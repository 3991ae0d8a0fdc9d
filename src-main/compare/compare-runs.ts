import {
  type ComparedFigure,
  type ComparedOperation,
  type ComparedPart,
  NOISE_SHARE,
  type RunComparison,
  type RunDifference,
} from '../shared/answers/comparison.ts';
import type { RunOperation, RunSteps, RunSummary } from '../shared/answers/run-summary.ts';
import { formatDuration, formatShare, plural } from '../shared/text/units.ts';
import { FEWEST_VALUES, mean, ratioOfMeans } from './block-bootstrap.ts';
import { comparedFindings } from './compared-findings.ts';
import { partsOfBoth } from './parts-of-both.ts';
import { runDifferences } from './run-differences.ts';

/** With fewer steps the interval is said to be of few. */
const FEW_STEPS = 30;
/** So much of a step lying between steps is told. Our own choice. */
const BETWEEN_SHARE = 0.03;

/** What became of `first` in `second`: swapped, every ratio is inverted. */
export function compareRuns(first: RunSummary, second: RunSummary): RunComparison {
  const differences = runDifferences(first.environment, second.environment);
  const { steps: one } = first;
  const { steps: other } = second;
  const hasSteps = one !== undefined && other !== undefined;
  const step = hasSteps ? figure(one.durationsNs, other.durationsNs) : undefined;
  const judged = judge(first, second, step, differences);
  return {
    ...judged,
    ...(step && { step }),
    firstSteps: one?.count ?? 0,
    secondSteps: other?.count ?? 0,
    differences,
    parts: hasSteps ? comparedParts(one, other) : [],
    operations: hasSteps ? comparedOperations(first, second, one, other) : [],
    findings: comparedFindings(first, second, {
      ...{ verdict: judged.verdict, differences },
      ...(step && { step }),
    }),
    stackWeights: first.stackWeights.filter((weight) => second.stackWeights.includes(weight)),
    notes: notesOf(first, second),
  };
}

type Judged = Pick<RunComparison, 'verdict' | 'sentence'>;

function judge(
  first: RunSummary,
  second: RunSummary,
  step: ComparedFigure | undefined,
  differences: readonly RunDifference[],
): Judged {
  const prevents = differences.filter(({ kind }) => kind === 'prevents');
  if (prevents.length > 0) {
    const why = prevents.map(({ what, first: was, second: is }) => `${what}: ${was} → ${is}`);
    return { verdict: 'not-comparable', sentence: `Not comparable, because of ${why.join('; ')}.` };
  }
  const without = [first, second].findIndex(({ steps }) => steps === undefined);
  if (without !== -1) {
    const note = [first, second][without].stepsNote;
    const which = without === 0 ? 'first' : 'second';
    return cannotTell(`The ${which} run has no steps to compare. ${note}`);
  }
  if (first.steps?.basis !== second.steps?.basis)
    return cannotTell(
      'The steps of one run are marked in its trace, those of the other found by a pattern: they need not be the same steps.',
    );
  const { ratio, low, high } = step ?? {};
  if (step === undefined || ratio === undefined || low === undefined || high === undefined)
    return cannotTell(`A run has fewer than ${FEWEST_VALUES} steps to compare: record for longer.`);
  const figures = `A mean step takes ${formatDuration(step.secondNs)} instead of ${formatDuration(step.firstNs)}: ${ratioText(step)}`;
  const few = Math.min(first.steps?.count ?? 0, second.steps?.count ?? 0);
  const unsure = few < FEW_STEPS ? ` Only ${plural(few, 'step')} of a run could be compared.` : '';
  const isSure = low > 1 || high < 1;
  if (!isSure || Math.abs(Math.log(ratio)) < -Math.log(1 - NOISE_SHARE)) {
    const change = isSure
      ? 'Hardly any change: two recordings of one job differ by as much.'
      : 'No measurable change.';
    return { verdict: 'no-measurable-change', sentence: `${change} ${figures}.${unsure}` };
  }
  const others = differences.filter(({ kind }) => kind === 'explains').map(({ what }) => what);
  const held =
    others.length === 0
      ? ''
      : ` What made the difference cannot be told: beside any change of yours, these differ too: ${others.join(', ')}.`;
  const isBetter = ratio < 1;
  const verdict = isBetter ? 'improved' : 'worse';
  const word = isBetter ? 'Faster' : 'Slower';
  return { verdict, sentence: `${word}. ${figures}.${held}${unsure}` };
}

function cannotTell(sentence: string): Judged {
  return { verdict: 'cannot-tell', sentence: `Cannot tell. ${sentence}` };
}

/** `0.912 times as long (95 % interval 0.880 to 0.941)`. */
export function ratioText({ ratio, low, high }: Partial<ComparedFigure> = {}): string {
  if (ratio === undefined) return '–';
  const interval =
    low === undefined || high === undefined
      ? ''
      : ` (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)})`;
  return `${ratio.toFixed(3)} times as long${interval}`;
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
  if (BigInt(second.beginUnixNs) < BigInt(first.beginUnixNs))
    notes.push('The second run was recorded before the first one.');
  return notes;
}
