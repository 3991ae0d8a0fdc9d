import type { ComparedOperation, RunComparison } from '../answers/comparison.ts';
import type { RoleFigure, RunVerdict } from '../answers/run-summary.ts';
import { sizeBucketNames } from '../model/size-bucket.ts';
import { formatCount, formatDuration, plural } from '../text/units.ts';
import { figureCells, ratioCell } from './comparison-words.ts';
import { roleLabels, verdictLabels } from './terms.ts';

/** As many as a person reads: those that changed a step most. */
const MOST_OPERATIONS = 8;

export const figureHead = ['', 'first', 'second', 'second / first'] as const;

/** Its sentences count all steps, so that a mean step in them is another one than that which is compared. */
export const verdictTitle = 'What each run waits for, its warm-up included';

export const verdictHead = ['', 'verdict', 'what its trace says'] as const;

/** What each run waits for. */
export function verdictRows({ judged }: RunComparison): string[][] {
  const row = (which: string, { verdict, sentence }: RunVerdict) => [
    which,
    verdictLabels[verdict],
    sentence,
  ];
  return [row('First', judged.first), row('Second', judged.second)];
}

/** `A step, without the warm-up (the first 12 of 120 steps of each run)`. */
export function stepTitle(comparison: RunComparison): string {
  const { firstSteps, secondSteps, firstWarmUp, secondWarmUp } = comparison;
  if (firstWarmUp === 0 && secondWarmUp === 0) return 'A step';
  const [first, second] = [
    `${formatCount(firstWarmUp)} of ${plural(firstWarmUp + firstSteps, 'step')}`,
    `${formatCount(secondWarmUp)} of ${plural(secondWarmUp + secondSteps, 'step')}`,
  ];
  const each =
    first === second
      ? `${first} of each run`
      : `${first} of the first run, ${second} of the second`;
  return `A step, without the warm-up (the first ${each})`;
}

/** The step, and its parts. */
export function stepRows({ step, parts }: RunComparison): string[][] {
  if (step === undefined) return [];
  return [
    ['A mean step', ...figureCells(step)],
    ...parts.map((part) => [part.label, ...figureCells(part)]),
  ];
}

/** Of several ranks, a mean step of each, and its wait for input where that is told. */
export function rankRows({ ranks }: RunComparison): string[][] {
  return ranks.flatMap(({ label, input, ...step }) => [
    [label, ...figureCells(step)],
    ...(input === undefined ? [] : [[`${label}, waiting for input`, ...figureCells(input)]]),
  ]);
}

/** CUDA operations by direction and size, a step. */
export function operationRows({ operations }: RunComparison): string[][] {
  return operations
    .slice(0, MOST_OPERATIONS)
    .map((operation) => [operationName(operation), ...figureCells(operation)]);
}

const figureLabels: Readonly<Record<RoleFigure, string>> = {
  cpuNs: 'CPU time',
  runnableNs: 'waiting for a CPU',
  switches: 'switches',
  faults: 'page faults',
};
const isTime = (figure: RoleFigure) => figure === 'cpuNs' || figure === 'runnableNs';
/** Less of a step, or less often in one, is left out in both: our own choice. */
const LEAST_SHARE = 0.01;
const LEAST_TIMES = 0.5;

/** What the threads of each role did a step, where it is worth telling. */
export function roleRows({ roles, step }: RunComparison): string[][] {
  const leastNs = LEAST_SHARE * Math.min(step?.firstNs ?? 0, step?.secondNs ?? 0);
  return roles
    .filter(
      ({ figure, first, second }) =>
        Math.max(first, second) >= (isTime(figure) ? leastNs : LEAST_TIMES),
    )
    .map(({ role, figure, first, second, ratio, isAtLeast }) => [
      `${roleLabels[role]}: ${figureLabels[figure]}${isAtLeast === true ? ', at least' : ''}`,
      ...[first, second].map((value) => (isTime(figure) ? formatDuration(value) : times(value))),
      ratioCell({ firstNs: first, secondNs: second, ...(ratio !== undefined && { ratio }) }),
    ]);
}

const times = (value: number): string =>
  value < 100 ? value.toFixed(1) : formatCount(Math.round(value));

function operationName({ name, direction, sizeBucket }: ComparedOperation): string {
  return [name, direction, sizeBucketNames[sizeBucket] ?? '']
    .filter((part) => part !== '')
    .join(' ');
}
