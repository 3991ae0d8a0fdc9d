import { expect, test } from 'vitest';
import type { TraceData } from '../model/trace-data.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { buildTrackGroups } from './build-tracks.ts';
import { ranInstead } from './ran-instead.ts';

/** Thread 0 waits on CPU 1 from 1,000 (woken at 1,400) to 2,000; threads 1 and 2 run there. */
function dataOf(off: Record<string, ArrayLike<number>>): TraceData {
  const thread = (tid: number) => ({ process: 0, tid, name: `t${tid}`, role: 'main' as const });
  const process = { pid: 7, parent: -1, name: 'python', role: 'main', roleBasis: '' } as const;
  const summary = fakeSummary(
    { off_cpu: 1, on_cpu: 5 },
    { processes: [process], threads: [thread(1), thread(2), thread(3)] },
  );
  const onCpu = {
    startNs: Float64Array.of(1_300, 1_450, 1_500, 1_700, 1_990),
    durationNs: Float64Array.of(150, 1_000, 200, 100, 50),
    thread: Int32Array.of(1, 2, 2, 1, 0),
    cpu: Int32Array.of(1, 0, 1, 1, 1),
  };
  const offCpu = {
    startNs: Float64Array.of(1_000),
    durationNs: Float64Array.of(1_000),
    thread: Int32Array.of(0),
    ...off,
  };
  const tables = { off_cpu: offCpu, on_cpu: onCpu } as unknown as TraceData['tables'];
  return { traceId: 'x', summary, tables };
}

function ran(off: Record<string, ArrayLike<number>>) {
  const data = dataOf(off);
  const tracks = buildTrackGroups(data).flatMap((group) => group.tracks);
  return ranInstead(data, tracks, 0);
}

test('the slices of others on the CPU it came back on, cut to the time it was ready', () => {
  const off = { state: [1], runQueueNs: [600], cpuIn: [1], cpuOut: [0] };
  expect(ran(off)).toEqual({
    startNs: 1_400,
    endNs: 2_000,
    cpu: 1,
    ran: [
      { thread: 2, ns: 200, row: 2 },
      { thread: 1, ns: 150, row: 3 },
    ],
  });
});

test('preempted, it was ready all the time', () => {
  const found = ran({ state: [0], runQueueNs: [-1], cpuIn: [1] });
  expect(found).toMatchObject({ startNs: 1_000, ran: [{ ns: 250 }, { ns: 200 }] });
});

test('nothing is said where it was not ready, or its CPU is not known', () => {
  expect(ran({ state: [1], runQueueNs: [0], cpuIn: [1] })).toBeUndefined();
  expect(ran({ state: [1], runQueueNs: [-1], cpuIn: [1] })).toBeUndefined();
  expect(ran({ state: [1], runQueueNs: [600], cpuIn: [-1] })).toBeUndefined();
  expect(ran({ state: [1], runQueueNs: [600], cpuIn: [3] })).toBeUndefined();
});
