import type { ComparedOperation, RunComparison } from '../answers/comparison.ts';
import { sizeBucketNames } from '../model/size-bucket.ts';
import { figureCells } from './comparison-words.ts';

/** As many as a person reads: those that changed a step most. */
const MOST_OPERATIONS = 8;

export const figureHead = ['', 'first', 'second', 'second / first'] as const;

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

function operationName({ name, direction, sizeBucket }: ComparedOperation): string {
  return [name, direction, sizeBucketNames[sizeBucket] ?? '']
    .filter((part) => part !== '')
    .join(' ');
}
