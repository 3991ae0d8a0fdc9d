import { expect, test } from 'vitest';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { peerOf } from './peers.ts';
import { isStoppedAfter, isTracedStop, stopsOf } from './stops.ts';

const MS = 1e6;
const TASK = codeOf(wakeContexts, 'task');
const READ = 0;

const offCpu = (from: number, to: number, more: Row<'off_cpu'>): Row<'off_cpu'> => ({
  ...{ thread: 0, startNs: from * MS, durationNs: (to - from) * MS, state: 1, runQueueNs: 0 },
  ...{ waker: 1, wakerContext: TASK, syscall: READ, file: 0, ...more },
});
const trace = buildTrace({
  machine: { cpuModel: 'Intel Xeon' },
  names: [['', 'pipe']],
  processes: [{ pid: 10 }, { pid: 20, name: 'cpulimit' }],
  threads: [
    { tid: 10, process: 0 },
    { tid: 20, process: 1 },
  ],
  rows: {
    off_cpu: [
      offCpu(0, 10, {}),
      offCpu(10.2, 70, { state: 0x104, runQueueNs: MS }),
      offCpu(71, 90, {}),
      offCpu(95, 99, { state: 8 }),
      offCpu(120, 130, { state: 0x8000, runQueueNs: -1 }),
    ],
  },
});

test('a thread is stopped from when it gives up the CPU until it is let go on', () => {
  const { rows, spans } = stopsOf(trace, 0);
  expect(rows).toEqual([1, 3]);
  expect([...spans.startsNs]).toEqual([10.2 * MS, 95 * MS]);
  expect([...spans.endsNs]).toEqual([69 * MS, 99 * MS]);
  expect(rows.map((row) => isTracedStop(trace, row))).toEqual([false, true]);
});

test('a thread whose control group is frozen is stopped, by its state or by where the kernel keeps it', () => {
  const kernel = (symbol: string) => ({ symbol, file: '[kernel]', language: 'native' }) as const;
  const SLEEPING = 0x2001;
  const sleeps = (from: number, state: number, stack: number) =>
    offCpu(from, from + 5, { state, stack, syscall: -1, file: -1 });
  const frozen = buildTrace({
    threads: [{ tid: 10 }],
    stacks: [
      [kernel('get_signal')],
      [kernel('schedule'), kernel('__refrigerator')],
      [kernel('futex_do_wait'), kernel('get_signal')],
    ],
    rows: {
      off_cpu: [
        sleeps(0, SLEEPING | 0x8000, -1),
        sleeps(10, SLEEPING, 0),
        sleeps(20, 2, 1),
        sleeps(30, SLEEPING, 2),
        sleeps(40, SLEEPING, -1),
        sleeps(50, 0, 0),
      ],
    },
  });
  expect(stopsOf(frozen, 0).rows).toEqual([0, 1, 2]);
});

test('who stops a thread is nobody that it waited for', () => {
  expect([0, 2].map((row) => isStoppedAfter(trace, row))).toEqual([true, false]);
  expect(peerOf(trace, 0)).toBeUndefined();
  expect(peerOf(trace, 2)?.text).toBe('cpulimit (pid 20)');
});
