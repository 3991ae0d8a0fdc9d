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
    p95Ns: 30,
    waits: { count: 3, medianNs: 50, p95Ns: 90, longestNs: 90 },
  });
});

test('a connection that comes before what it sends makes one wait of two', () => {
  const answer = [
    ['idle', 40],
    ['other', 1],
    ['idle', 5],
    ['call', 8],
  ] as const;
  expect(burstsOf([...answer, ...answer, ...answer, ['idle', 5]])).toEqual({
    count: 3,
    medianNs: 8,
    p95Ns: 8,
    waits: { count: 3, medianNs: 45, p95Ns: 45, longestNs: 45 },
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
