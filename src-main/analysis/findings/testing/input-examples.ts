import { cell, type FactsPlan, SECOND } from './build-facts.ts';

/** Facts on which the rules about loading and its workers fire: the least that each needs. */

/** `count` workers whose states and cycles are all alike. */
function workersAlike(count: number, plan: NonNullable<FactsPlan['workers']>[number]) {
  return Array.from({ length: count }, () => plan);
}

export const inputExamples: Readonly<Record<string, FactsPlan>> = {
  'workers-to-cores': {
    cpus: { machine: 2, usable: 2, idleShare: 0.02, basis: '' },
    workers: workersAlike(4, {
      states: { runningNs: 4 * SECOND, runnableNs: 6 * SECOND },
      cycles: { running: 4 * SECOND, 'runnable-own': 6 * SECOND },
    }),
    costs: [
      cell('input', 'worker', 'runnable-own', 3 * SECOND),
      cell('input', 'worker', 'running', 2 * SECOND),
      cell('h2d', 'main', 'runnable-own', SECOND),
    ],
  },
};
