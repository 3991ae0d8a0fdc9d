import type { RunComparison } from '../answers/comparison.ts';
import type { RunSeries, SeriesRun } from '../answers/run-series.ts';
import { formatDuration, formatShare } from '../text/units.ts';
import { ratioCell } from './comparison-words.ts';

const NONE = '–';
/** Of the longest bar, in characters. */
const BAR_LENGTH = 20;

const verdictWords: Readonly<Record<RunComparison['verdict'], string>> = {
  improved: 'faster',
  worse: 'slower',
  'no-measurable-change': 'no measurable change',
  'cannot-tell': 'cannot tell',
  'not-comparable': 'not comparable',
};

/** The heads of `seriesRows`. */
export function seriesHead({ varied }: RunSeries): string[] {
  const setting = varied === undefined ? [] : [varied];
  return [
    '',
    ...setting,
    'a mean step',
    'beside the first',
    'waits for input',
    'costliest finding',
  ];
}

/** What each run is beside the first. */
export function seriesRows({ runs, varied }: RunSeries): string[][] {
  return runs.map((run) => [
    run.name,
    ...(varied === undefined ? [] : [run.setting ?? NONE]),
    run.stepNs === undefined ? NONE : formatDuration(run.stepNs),
    besideFirst(run),
    inputCell(run),
    run.finding ?? NONE,
  ]);
}

/** `faster: 0.752 (0.651 to 0.901)`. */
function besideFirst({ comparison }: SeriesRun): string {
  if (comparison === undefined) return 'the first';
  const { verdict, step } = comparison;
  const word = verdictWords[verdict];
  const isTold = verdict !== 'not-comparable' && verdict !== 'cannot-tell';
  return isTold && step !== undefined ? `${word}: ${ratioCell(step)}` : word;
}

function inputCell({ stepNs, parts, inputKnown }: SeriesRun): string {
  if (stepNs === undefined || parts === undefined || !inputKnown) return NONE;
  return `${formatDuration(parts.input)} (${formatShare(parts.input, stepNs)})`;
}

/** A bar for each run's mean step, all on one scale; empty without one. */
export function seriesBars({ runs }: RunSeries): string[] {
  const longestNs = Math.max(1, ...runs.map(({ stepNs = 0 }) => stepNs));
  return runs.map(({ stepNs = 0 }) =>
    '█'.repeat(stepNs > 0 ? Math.max(1, Math.round((BAR_LENGTH * stepNs) / longestNs)) : 0),
  );
}

/** What to know before the runs are believed, each once. */
export function seriesNotes({ runs }: RunSeries): string[] {
  const notes = runs.flatMap(({ name, comparison }) => {
    const unlike = (comparison?.differences ?? []).filter(({ kind }) => kind !== 'setting');
    const told = unlike.map(({ what, first, second }) => `${what}: ${first} → ${second}`);
    return told.length === 0 ? [] : [`${name} differs from the first in ${told.join('; ')}.`];
  });
  return [...new Set(notes)];
}
