import { describe, expect, test } from 'vitest';
import type { Frame } from '../../shared/model/stacks.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';

/** Main 100 with a worker 101; thread 2 is a second one of main, 3 and 4 are the worker's. */
function rolesOf(
  offCpu: readonly Row<'off_cpu'>[],
  names: readonly string[] = ['python3', 'python3', 'python3'],
  more: Partial<TracePlan> = {},
) {
  const trace = buildTrace({
    names: [
      ['CUDA', 'cudaMemcpyAsync'],
      ['', 'socket'],
    ],
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 101, name: 'python3', parent: 0, role: 'dataloader-worker' },
    ],
    threads: [
      { tid: 100, process: 0, name: 'python3' },
      { tid: 101, process: 1, name: 'python3' },
      { tid: 102, process: 0, name: names[0] },
      { tid: 103, process: 1, name: names[1] },
      { tid: 104, process: 1, name: names[2] },
    ],
    ...more,
    rows: { cuda_call: [{ thread: 0, op: 0 }], off_cpu: offCpu, ...more.rows },
  });
  return withRoles(trace).threads.map(({ role, roleBasis }) => [role, roleBasis]);
}

const TASK = 1;
const SOFTIRQ = 2;
const wake = (thread: number, waker: number, wakerContext = TASK, file = -1) => ({
  ...{ thread, waker, wakerContext, file },
});
const plain = [
  ['main', undefined],
  ['dataloader-worker', undefined],
  ['other', undefined],
  ['dataloader-worker', undefined],
  ['dataloader-worker', undefined],
];

describe('roles of threads', () => {
  test('are those of the process where nothing tells more', () => {
    expect(rolesOf([])).toEqual(plain);
  });

  test('a thread of main that wakes a worker feeds its queue', () => {
    expect(rolesOf([wake(1, 2)])[2]).toEqual(['queue-feeder', 'woke a worker 1 time']);
  });

  test('a thread that workers wake and that wakes the training thread pins batches', () => {
    const wakes = [wake(2, 3), wake(2, 3), wake(0, 2), wake(0, 2)];
    expect(rolesOf(wakes)[2]).toEqual([
      'pin-memory',
      'woken 2 times by workers, and woke the training thread 2 times',
    ]);
    expect(rolesOf(wakes.slice(1))[2][0]).toBe('other');
  });

  test('a thread that the worker wakes and that wakes the trainer feeds its queue', () => {
    expect(rolesOf([wake(3, 1), wake(3, 1), wake(0, 3)])[3]).toEqual([
      'queue-feeder',
      'woken 2 times by the worker, and woke the trainer 1 time',
    ]);
    expect(rolesOf([wake(3, 1), wake(3, 1)])).toEqual(plain);
  });

  test('wakes by interrupts say nothing of the thread they interrupted', () => {
    expect(rolesOf([wake(1, 2, SOFTIRQ), wake(0, 3, SOFTIRQ)])).toEqual(plain);
  });

  test('a thread of the worker that serves the trainer on a socket shares resources', () => {
    expect(rolesOf([wake(4, 0, TASK, 1)])[4][0]).toBe('resource-sharer');
    // A download is woken by the network, or by another thread of the worker.
    expect(rolesOf([wake(4, 0, SOFTIRQ, 1), wake(4, 3, TASK, 1)])).toEqual(plain);
  });

  test('go by the names that PyTorch, Python, NCCL and the driver give', () => {
    const named = ['pt_nccl_watchdg', 'Thread-1 (_feed', 'pt_autograd_0'];
    expect(rolesOf([], named).map(([role]) => role)).toEqual([
      ...['main', 'dataloader-worker', 'watchdog', 'queue-feeder', 'autograd'],
    ]);
    const driver = ['cuda-EvtHandlr', 'NCCL Service', 'cuda00001400006'];
    expect(rolesOf([], driver).map(([role]) => role)).toEqual([
      ...['main', 'dataloader-worker', 'cuda-driver', 'nccl', 'cuda-driver'],
    ]);
  });

  test('go by the function that a sample shows', () => {
    const frame = (symbol: string, file: string): Frame => ({ symbol, file, language: 'python' });
    const stacks = [
      [frame('Queue._feed', '/usr/lib/python3.11/multiprocessing/queues.py')],
      [frame('_feed', '/home/me/my_feed.py')],
    ];
    const samples = (stack: number) => ({ stacks, rows: { cpu_sample: [{ thread: 3, stack }] } });
    const seen = rolesOf([], undefined, samples(0));
    expect(seen[3]).toEqual(['queue-feeder', 'was seen in Queue._feed']);
    expect(rolesOf([], undefined, samples(1))).toEqual(plain);
  });
});

describe('a role that the user set', () => {
  const trace = buildTrace({
    names: [['CUDA', 'cudaMemcpyAsync']],
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 101, name: 'python3', parent: 0, startNs: 5, role: 'dataloader-worker' },
    ],
    threads: [
      { tid: 100, process: 0, name: 'python3' },
      { tid: 101, process: 1, name: 'python3', role: 'dataloader-worker' },
    ],
    rows: { cuda_call: [{ thread: 0, op: 0 }] },
  });

  test('wins over the source and every guess, and its threads follow', () => {
    const { processes, threads } = withRoles(trace, [{ pid: 101, startNs: 5, role: 'other' }]);
    expect(processes[1]).toMatchObject({ role: 'other', roleBasis: 'set by you', roleSet: true });
    expect(threads[1].role).toBe('other');
    expect(processes[0].roleSet).toBeUndefined();
  });

  test('is of one process, also where a pid was used again', () => {
    const other = withRoles(trace, [{ pid: 101, startNs: 6, role: 'other' }]);
    expect(other.processes[1].role).toBe('dataloader-worker');
  });
});
