import { expect, test } from 'vitest';
import { PHASE, PhaseList } from '../loop/phase-list.ts';
import { requestBursts } from './request-bursts.ts';

/** Intervals one after the other, each with its length; `call` is computed by a CUDA call. */
function burstsOf(parts: readonly (readonly ['idle' | 'other' | 'call', number])[]) {
  const list = new PhaseList(0);
  for (const [what, ns] of parts)
    if (what === 'call') list.until(list.endNs + ns, PHASE.compute, 0);
    else list.until(list.endNs + ns, PHASE[what]);
  return requestBursts(list.intervals());
}

test('a burst goes from the end of one wait to the begin of the next', () => {
  const one = [
    ['idle', 50],
    ['other', 2],
    ['call', 8],
    ['other', 1],
  ] as const;
  const long = [
    ['idle', 90],
    ['call', 30],
  ] as const;
  expect(burstsOf([...one, ...long, ...one, ['idle', 5]])).toEqual({
    count: 3,
    medianNs: 11,
    longestWaitNs: 90,
  });
});

test('what began or ended outside of the window is no burst, nor is one without a CUDA call', () => {
  expect(
    burstsOf([
      ['call', 9],
      ['idle', 50],
      ['other', 3],
      ['idle', 50],
      ['call', 9],
    ]),
  ).toBeUndefined();
});
