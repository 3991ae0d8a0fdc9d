import { expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { chainSums } from './chain-sums.ts';
import type { Stretch } from './walk.ts';

const trace = buildTrace({
  processes: [{ pid: 10 }],
  threads: [
    { tid: 10, process: 0, name: 'a' },
    { tid: 11, process: 0, name: 'b' },
  ],
});
const stretch = (thread: number, startNs: number, endNs: number, kind: Stretch['kind']): Stretch =>
  ({ thread, startNs, endNs, kind, row: -1 }) as Stretch;
const stretches = [
  stretch(0, 0, 10, 'unknown'),
  stretch(1, 10, 13, 'running'),
  stretch(0, 13, 40, 'unknown'),
  stretch(1, 40, 41, 'running'),
];

test('a chain is summed by thread and reason, most first', () => {
  const sums = chainSums(trace, undefined, stretches);
  expect(
    sums.map(({ thread, ns, count, longestNs }) => [thread.tid, ns, count, longestNs]),
  ).toEqual([
    [10, 37, 2, 27],
    [11, 4, 2, 3],
  ]);
});

test('of very many the shortest are summed untold, and no time is lost', () => {
  const sums = chainSums(trace, undefined, stretches, 1);
  expect(sums.map(({ ns }) => ns)).toEqual([27, 10, 4]);
  expect(sums.slice(1).map(({ reason }) => reason)).toEqual(
    Array(2).fill('many short stretches, not told one by one'),
  );
});
