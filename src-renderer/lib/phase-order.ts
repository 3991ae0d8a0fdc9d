import type { Phase } from '../../src-main/shared/answers/steps.ts';

/** The parts of a step as they are stacked, from the bottom up, and as a legend names them. */
export const stackedPhases: readonly Phase[] = [
  'input',
  'h2d',
  'compute',
  'collective',
  'other',
  'idle',
];
