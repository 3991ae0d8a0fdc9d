import { expect, test } from 'vitest';
import type { Rank } from '../../shared/answers/jobs.ts';
import { rankOfThread } from '../jobs/job-index.ts';
import { phasesOf } from '../steps/phases.ts';
import { MAIN } from '../steps/testing/loop-trace.ts';
import { randomLoop } from '../steps/testing/random-loop.ts';
import { randomFrom } from '../threads/testing/random-time.ts';

const LOOPS = 100;

// Nothing is a lower bound too: what a worker ended, what lies between two samples, and what has a stack has to be told.
test.each([
  ['samples alone', false, 0.3],
  ['stacks of long waits too', true, 0.8],
] as const)(
  '“at least” is never more than a loop waited for input, whatever else it waits for, by %s',
  (_, waitStacks, leastTold) => {
    let toldNs = 0;
    let trueNs = 0;
    for (let seed = 0; seed < LOOPS; seed++) {
      const { trace, inputNs } = randomLoop(randomFrom(seed), { waitStacks });
      const rank = rankOfThread(trace, MAIN);
      expect(rank?.generations.flatMap(({ workers }) => workers)).toEqual([1]);
      const { input } = phasesOf(trace, rank as Rank).summary.total;
      expect(input, `seed ${seed}`).toBeLessThanOrEqual(inputNs);
      toldNs += input;
      trueNs += inputNs;
    }
    expect(toldNs / trueNs).toBeGreaterThan(leastTold);
  },
);
