import type { RunComparison, RunDifference } from '../shared/answers/comparison.ts';
import { settingOf } from '../shared/answers/run-differences.ts';
import type { RunSeries, SeriesRun } from '../shared/answers/run-series.ts';
import type { RunSummary } from '../shared/answers/run-summary.ts';
import { type Phase, phases } from '../shared/answers/steps.ts';
import { mean } from '../shared/numbers/block-bootstrap.ts';
import { shortenMiddle } from '../shared/text/text.ts';
import { formatDuration, plural } from '../shared/text/units.ts';
import { alsoDiffer, changeText } from '../shared/words/comparison-words.ts';
import { compareRuns } from './compare-runs.ts';

/** As many as a sentence names. */
const MOST_ALIKE = 4;
/** As much of a name as a sentence takes. */
const MAX_NAME = 60;

/** A run and what it is called. */
export interface NamedRun {
  readonly name: string;
  readonly summary: RunSummary;
}

interface Compared extends NamedRun {
  readonly comparison?: RunComparison;
}

/** Several runs, each compared with the first; two at least. What varied between them is told where it is one thing. */
export function compareSeries(runs: readonly NamedRun[]): RunSeries {
  const [first, ...others] = runs;
  if (first === undefined) throw new Error('a series of no runs');
  const compared: readonly Compared[] = [
    first,
    ...others.map((run) => ({ ...run, comparison: compareRuns(first.summary, run.summary) })),
  ];
  const varied = whatVaried(compared);
  return {
    sentence: sentenceOf(compared, varied),
    ...(varied !== undefined && { varied }),
    runs: inOrder(compared.map((run) => seriesRun(run, varied))),
  };
}

function seriesRun(run: Compared, varied: string | undefined): SeriesRun {
  const { name, comparison } = run;
  const { steps, findings, environment } = run.summary;
  const setting = varied === undefined ? undefined : settingOf(environment, varied);
  return {
    ...{ name, steps: steps?.count ?? 0, warmUp: steps?.before ?? 0 },
    inputKnown: steps?.inputKnown === true,
    ...(setting !== undefined && { setting }),
    ...(steps && { stepNs: mean(steps.durationsNs), parts: meanParts(steps.parts) }),
    ...(findings[0] && { finding: findings[0].title }),
    ...(comparison && { comparison }),
  };
}

function meanParts(parts: Readonly<Record<Phase, readonly number[]>>): Record<Phase, number> {
  const pairs = phases.map((phase) => [phase, mean(parts[phase])] as const);
  return Object.fromEntries(pairs) as Record<Phase, number>;
}

/** The one setting in which runs differ from the first, else the one thing that may explain a difference. */
function whatVaried(compared: readonly Compared[]): string | undefined {
  // What a run of another machine has that the others have not is nobody's setting.
  const differences = compared
    .filter(canCompare)
    .flatMap(({ comparison }) => comparison?.differences ?? []);
  const ofKind = (of: RunDifference['kind']) =>
    new Set(differences.filter(({ kind }) => kind === of).map(({ what }) => what));
  const settings = ofKind('setting');
  // A command line that says the same is no second setting.
  const saysTheSame = differences.every(
    ({ what, kind, fixes }) => what !== 'Command' || kind === 'output' || fixes.length > 0,
  );
  if (settings.size > 1 && saysTheSame) settings.delete('Command');
  const found = settings.size > 0 ? settings : ofKind('explains');
  const [only, ...more] = found;
  return more.length > 0 ? undefined : only;
}

function inOrder(runs: readonly SeriesRun[]): readonly SeriesRun[] {
  const numberOf = ({ setting }: SeriesRun) => Number((setting ?? 'none').replaceAll(',', ''));
  if (!runs.every((run) => Number.isFinite(numberOf(run)))) return runs;
  return runs.toSorted((a, b) => numberOf(a) - numberOf(b));
}

const canCompare = ({ comparison }: Compared): boolean =>
  comparison?.verdict !== 'not-comparable' && comparison?.verdict !== 'cannot-tell';

const isAlike = (one: NamedRun, other: NamedRun): boolean =>
  compareRuns(one.summary, other.summary).verdict === 'no-measurable-change';

function sentenceOf(compared: readonly Compared[], varied: string | undefined): string {
  const comparable = compared.filter(canCompare);
  if (comparable.length < 2) {
    const [why = ''] = compared.flatMap(({ comparison }) => comparison?.sentence ?? []);
    return compared.length === 2
      ? why
      : `No run can be compared with the first. One of them: ${why}`;
  }
  const left = compared.length - comparable.length;
  const others = left === 0 ? '' : ` ${plural(left, 'run')} can’t be compared with the first.`;
  const best = comparable.reduce((one, other) => (stepOf(other) < stepOf(one) ? other : one));
  if (best.comparison?.verdict !== 'improved') {
    const slower = comparable.filter(({ comparison }) => comparison?.verdict === 'worse').length;
    const rest = slower === 0 ? '' : `, and ${slower} of them slower`;
    return `No run is measurably faster than the first${rest}.${others}`;
  }
  const alike = comparable.filter((run) => run !== best && isAlike(best, run));
  const called = ({ name, summary }: Compared) => {
    const setting = varied === undefined ? undefined : settingOf(summary.environment, varied);
    const shown = shortenMiddle(name, MAX_NAME);
    return setting === undefined ? shown : `${shown} (${varied}: ${setting})`;
  };
  const more =
    alike.length > MOST_ALIKE ? ` and ${plural(alike.length - MOST_ALIKE, 'other')}` : '';
  const too =
    alike.length === 0
      ? ''
      : ` Steps are not measurably longer in ${alike
          .slice(0, MOST_ALIKE)
          .map((run) => called(run))
          .join(', ')}${more}.`;
  return `A mean step is shortest in ${called(best)}: ${formatDuration(stepOf(best))}, ${changeText(best.comparison.step)} beside the first run.${too}${heldBack(best, varied)}${others}`;
}

const stepOf = ({ summary }: NamedRun): number => mean(summary.steps?.durationsNs ?? []);

/** What else may have made it faster than the first run. */
function heldBack({ comparison }: Compared, varied: string | undefined): string {
  const differences = comparison?.differences ?? [];
  const others = differences.filter(
    ({ kind, what }) => (kind === 'explains' || kind === 'check') && what !== varied,
  );
  return others.length === 0 ? '' : ` In that run ${alsoDiffer(others)}, which may be why.`;
}
