import { expect, test } from 'vitest';
import { randomFrom } from '../threads/testing/random-time.ts';
import { phasesOf } from './phases.ts';
import { loopRank } from './testing/loop-trace.ts';
import { randomLoop } from './testing/random-loop.ts';

const LOOPS = 100;

test('“at least” is never more than a loop waited for input, whatever else it waits for', () => {
  let toldNs = 0;
  let trueNs = 0;
  for (let seed = 0; seed < LOOPS; seed++) {
    const { trace, inputNs } = randomLoop(randomFrom(seed));
    const { input } = phasesOf(trace, loopRank()).summary.total;
    expect(input, `seed ${seed}`).toBeLessThanOrEqual(inputNs);
    toldNs += input;
    trueNs += inputNs;
  }
  // Nothing is a lower bound too: what a worker ended, and what lies between two samples, has to be told.
  expect(toldNs / trueNs).toBeGreaterThan(0.3);
});
