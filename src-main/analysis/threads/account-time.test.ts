import { describe, expect, test } from 'vitest';
import type { AccountingPart } from '../../shared/answers/explanation.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type TracePlan } from '../testing/build-trace.ts';
import { accountTime } from './account-time.ts';
import { checkRandomTrace } from './testing/check-time.ts';
import { randomFrom } from './testing/random-time.ts';

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSynchronize'],
  ['CUDA', 'cudaMalloc'],
] as const;
const [COPY, SYNC, MALLOC] = [0, 1, 2];
const MIB = 2 ** 20;

/** Thread 0 makes the calls; 1 is its worker, 2 a stranger, 3 the idle task, 4 a kernel thread. */
function traceOf(plan: TracePlan) {
  return withRoles(
    buildTrace({
      names,
      processes: [
        { pid: 9, name: 'python3' },
        { pid: 10, name: 'pt_data_worker', parent: 0 },
        { pid: 11, name: 'xz' },
        { pid: 0, name: 'swapper/0' },
        { pid: 14, name: 'kworker/0:1' },
      ],
      threads: [9, 10, 11, 0, 14].map((tid, process) => ({ tid, process })),
      ...plan,
    }),
  );
}

const told = (parts: readonly AccountingPart[]) =>
  parts.map(({ kind, detail, ns }) => [kind, detail, ns]);

const always = [
  { thread: 0, startNs: 0, durationNs: 1, state: 0, runQueueNs: 1, cpuOut: 0, cpuIn: 0 },
  { thread: 0, startNs: 200, durationNs: 1, state: 0, runQueueNs: 1, cpuOut: 0, cpuIn: 0 },
];

describe('accounting of time', () => {
  test('tiles any time of any trace to the ns', () => {
    let cases = 0;
    for (let seed = 1; cases < 20_000; seed++) {
      try {
        cases += checkRandomTrace(randomFrom(seed));
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    expect(cases).toBeGreaterThanOrEqual(20_000);
  });

  test('splits a wait for a CPU by who had it, a quota first', () => {
    const trace = traceOf({
      rows: {
        off_cpu: [
          always[0],
          { ...always[0], startNs: 10, durationNs: 60, runQueueNs: 60, throttledNs: 10 },
          always[1],
        ],
        on_cpu: [
          { cpu: 0, thread: 2, startNs: 10, durationNs: 20 },
          { cpu: 0, thread: 1, startNs: 30, durationNs: 15 },
          { cpu: 1, thread: 2, startNs: 45, durationNs: 99 },
          { cpu: 0, thread: 3, startNs: 45, durationNs: 5 },
          { cpu: 0, thread: 4, startNs: 50, durationNs: 12 },
        ],
      },
    });
    expect(told(accountTime(trace, undefined, 0, 5, 80))).toEqual([
      ['runnable', 'others-ran', 25],
      ['runnable', 'kernel-ran', 12],
      ['runnable', 'throttled', 10],
      ['runnable', 'unknown', 8],
      ['runnable', 'idle-cpu', 5],
      ['running', 'other', 15],
    ]);
  });

  test('names what a thread was blocked on, by its longest wait', () => {
    const blocked = { thread: 0, state: 1, runQueueNs: 0, cpuOut: 0, cpuIn: 0 };
    const trace = traceOf({
      rows: {
        off_cpu: [
          always[0],
          { ...blocked, startNs: 10, durationNs: 30, runQueueNs: 5, syscall: 202 },
          { ...blocked, startNs: 50, durationNs: 10, state: 2, ioWait: 1 },
          { ...blocked, startNs: 70, durationNs: 10, state: 1, runQueueNs: -1 },
          always[1],
        ],
      },
    });
    const parts = accountTime({ ...trace, hosts: [{ cpuModel: 'AMD EPYC' }] }, undefined, 0, 5, 90);
    expect(told(parts)).toEqual([
      ['runnable', 'unknown', 5],
      ['blocked', 'lock', 25],
      ['blocked', 'disk', 10],
      ['off-cpu', undefined, 10],
      ['running', 'other', 35],
    ]);
    expect(parts[1]).toMatchObject({
      reason: 'waited for a lock or a condition',
      events: { shown: [{ table: 'off_cpu', row: 1 }], count: 1 },
    });
  });

  test('is dead before its birth and after its end, and unexplained where nothing is known', () => {
    const trace = traceOf({
      threads: [{ tid: 9, process: 0, startNs: 20, endNs: 90 }],
      rows: {
        off_cpu: [
          { ...always[0], startNs: 20, state: 0x800 },
          { ...always[0], startNs: 60 },
        ],
      },
    });
    const parts = accountTime(trace, undefined, 0, 0, 100);
    expect(parts).toMatchObject([
      { kind: 'runnable', ns: 2 },
      { kind: 'running', ns: 68 },
      { kind: 'unexplained', ns: 30, reason: 'The thread had not begun yet, or had ended.' },
    ]);
  });

  describe('of a call that ran', () => {
    const call = { thread: 0, layer: 1, startNs: 10, durationNs: 100 };
    const copy = { ...call, op: COPY, direction: 1, bytes: 8 * MIB, hostMemory: 4 };
    const run = (row: object, plan: TracePlan['rows'] = {}, streamEmpty?: boolean) => {
      const trace = traceOf({ rows: { off_cpu: always, cuda_call: [row], ...plan } });
      const options = { call: { row: 0, ...(streamEmpty !== undefined && { streamEmpty }) } };
      return told(accountTime(trace, undefined, 0, 10, 110, options));
    };

    test('waits for the GPU in a sync', () => {
      expect(run({ ...call, op: SYNC })).toEqual([['running', 'device-wait', 100]]);
      expect(run({ ...call, op: MALLOC })).toEqual([['running', 'unknown', 100]]);
    });

    test('copies pageable memory only while nothing else can be outstanding', () => {
      expect(run(copy, {}, true)).toEqual([['running', 'staging-copy', 100]]);
      expect(run(copy, {}, false)).toEqual([['running', 'unknown', 100]]);
      expect(run(copy)).toEqual([['running', 'unknown', 100]]);
      expect(run({ ...copy, hostMemory: 1 }, {}, true)).toEqual([['running', 'unknown', 100]]);
    });

    test('is split by the GPU’s own record', () => {
      const work = [{ startNs: 40, durationNs: 50, gpu: 0, call: 0, direction: 1 }];
      expect(run(copy, { gpu_work: work }, false)).toEqual([
        ['running', 'staging-copy', 50],
        ['running', 'device-wait', 30],
        ['running', 'other', 20],
      ]);
    });

    test('faults and is robbed of its CPU', () => {
      const faults = [
        { thread: 0, startNs: 5, durationNs: 10, major: 0 },
        { thread: 0, startNs: 50, durationNs: 20, major: 1 },
        { thread: 1, startNs: 60, durationNs: 20, major: 1 },
      ];
      expect(run({ ...call, op: SYNC, stolenNs: 30 }, { page_fault: faults })).toEqual([
        ['running', 'device-wait', 45],
        ['running', 'stolen', 30],
        ['running', 'fault', 25],
      ]);
    });

    test('takes what is stolen from what the kernel charged, as far as it lies inside', () => {
      const ms = 1e6;
      const trace = traceOf({
        rows: {
          off_cpu: [always[0], { ...always[1], startNs: 10 * ms, executedNs: 7 * ms }],
          cuda_call: [{ ...call, op: SYNC, startNs: 1 * ms, durationNs: 8 * ms }],
        },
      });
      const parts = accountTime(trace, undefined, 0, 1 * ms, 9 * ms, { call: { row: 0 } });
      // 3 ms less a ns of the stretch are missing; 2 ms less a ns of it lie outside the call.
      expect(told(parts)).toEqual([
        ['running', 'device-wait', 7 * ms],
        ['running', 'stolen', 1 * ms],
      ]);
    });
  });

  test('takes the off-CPU time measured around a call where its switches are not stored', () => {
    const call = { thread: 0, layer: 1, op: MALLOC, startNs: 0, durationNs: 100, offCpuNs: 30 };
    const parts = (runQueueNs: number) => {
      const trace = traceOf({ rows: { cuda_call: [{ ...call, runQueueNs }] } });
      return told(accountTime(trace, undefined, 0, 0, 100, { call: { row: 0 } }));
    };
    expect(parts(-1)).toEqual([
      ['off-cpu', undefined, 30],
      ['running', 'unknown', 70],
    ]);
    expect(parts(20)).toEqual([
      ['runnable', 'unknown', 20],
      ['blocked', 'unknown', 10],
      ['running', 'unknown', 70],
    ]);
  });
});
