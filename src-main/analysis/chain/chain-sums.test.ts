import { expect, test } from 'vitest';
import { atOnce } from '../../shared/numbers/pieces.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { chainSums } from './chain-sums.ts';
import { segmentsOf } from './segments.ts';
import type { Stretch } from './walk.ts';

const trace = buildTrace({
  processes: [{ pid: 10 }],
  threads: [
    { tid: 10, process: 0, name: 'a' },
    { tid: 11, process: 0, name: 'b' },
  ],
  provenance: { off_cpu: { kind: 'exact', note: '' } },
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
  const sums = atOnce(chainSums(trace, undefined, stretches));
  expect(
    sums.map(({ thread, ns, count, longestNs }) => [thread.tid, ns, count, longestNs]),
  ).toEqual([
    [10, 37, 2, 27],
    [11, 4, 2, 3],
  ]);
});

test('who ran instead is summed over all waits for a CPU, however many are told as one segment', () => {
  const slice = (startNs: number) => ({ startNs, durationNs: 6, thread: 1, cpu: 0 });
  const wait = (startNs: number) => ({
    ...{ startNs, durationNs: 10, thread: 0, state: 0, runQueueNs: 10, cpuIn: 0, cpuOut: 0 },
  });
  const contended = buildTrace({
    processes: [{ pid: 10 }],
    threads: [
      { tid: 10, process: 0, name: 'a' },
      { tid: 11, process: 0, name: 'b' },
    ],
    provenance: {
      off_cpu: { kind: 'exact', note: '' },
      on_cpu: { kind: 'exact', note: '' },
    },
    rows: {
      off_cpu: [wait(0), wait(20), wait(40)],
      on_cpu: [slice(2), slice(22), slice(42)],
    },
  });
  const waits = [40, 20, 0].map(
    (startNs, at) => ({ ...stretch(0, startNs, startNs + 10, 'runnable'), row: 2 - at }) as Stretch,
  );
  const sums = atOnce(chainSums(contended, undefined, waits));
  const ran = sums.flatMap((sum) => sum.ran ?? []);
  expect(ran.map(({ thread, ns, event }) => [thread.tid, ns, event?.table])).toEqual([
    [11, 18, 'off_cpu'],
  ]);
});

test('of very many the shortest are summed untold, and no time is lost', () => {
  const sums = atOnce(chainSums(trace, undefined, stretches, 1));
  expect(sums.map(({ ns }) => ns)).toEqual([27, 10, 4]);
  expect(sums.slice(1).map(({ reason }) => reason)).toEqual(
    Array(2).fill('many short stretches, not listed one by one'),
  );
  expect(sums.map(({ proof }) => proof)).toEqual(['unknown', 'unknown', 'proven']);
});

test('what is told as one is as well known as all of it, and partly where some is', () => {
  const inTurn = Array.from({ length: 40 }, (_, at) =>
    stretch(0, at * 10, at * 10 + 10, at < 30 ? 'running' : at % 2 === 0 ? 'running' : 'off-cpu'),
  );
  // Two are longest: what lies before, between and after them is told as one each.
  const long = (at: number) => ({ ...inTurn[at], endNs: inTurn[at].startNs + 11 }) as Stretch;
  const stretches = [
    ...inTurn.slice(0, 9),
    long(9),
    ...inTurn.slice(10, 29),
    long(29),
    ...inTurn.slice(30),
  ];
  const segments = segmentsOf(trace, undefined, stretches.toReversed(), 5);
  expect(segments.map(({ count, proof }) => [count ?? 1, proof])).toEqual([
    [9, 'proven'],
    [1, 'proven'],
    [19, 'proven'],
    [1, 'proven'],
    [10, 'partly'],
  ]);
});
