import { describe, expect, test } from 'vitest';
import { withRoles } from '../roles/roles.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { processBreakdown } from './process-breakdown.ts';

const wait = (thread: number, startNs: number, durationNs: number, more: object = {}) => ({
  ...{ thread, startNs, durationNs, state: 1, runQueueNs: 0, throttledNs: 0 },
  ...{ minorFaults: 2, majorFaults: 0, ...more },
});

/** Main 100 with a feeder 101, a worker 102, a stranger 200 that only held a CPU. */
function loaderTrace() {
  return withRoles(
    buildTrace({
      lengthNs: 1000,
      names: [
        ['CUDA', 'cudaMemcpyAsync'],
        ['DRIVER', 'cuMemcpyHtoDAsync'],
      ],
      processes: [
        { pid: 100, name: 'python3' },
        { pid: 102, name: 'python3', parent: 0, role: 'dataloader-worker' },
        { pid: 200, name: 'rsync' },
      ],
      threads: [
        { tid: 100, process: 0, name: 'python3' },
        { tid: 101, process: 0, name: 'QueueFeederThre' },
        { tid: 102, process: 1, name: 'python3' },
        { tid: 200, process: 2, name: 'rsync' },
      ],
      rows: {
        off_cpu: [
          wait(0, 100, 50, { state: 0, runQueueNs: 50 }),
          wait(1, 100, 800),
          wait(0, 300, 100),
          wait(2, 400, 10),
          wait(0, 500, 10),
        ],
        on_cpu: [
          { startNs: 100, durationNs: 50, thread: 3, cpu: 0 },
          { startNs: 400, durationNs: 100, thread: 3, cpu: 0 },
        ],
        cuda_call: [
          { thread: 0, op: 0, startNs: 200, durationNs: 40, parent: -1 },
          { thread: 0, op: 1, startNs: 210, durationNs: 20, parent: 0 },
        ],
      },
    }),
  );
}

describe('processBreakdown', () => {
  test('adds up the threads of each process', () => {
    const { processes, bases } = processBreakdown(loaderTrace());
    expect(processes.map(({ label }) => label)).toEqual([
      ...['Training process', 'DataLoader worker 0', 'rsync'],
    ]);
    expect(processes[0]).toMatchObject({
      ...{ switches: 4, preemptions: 1, runnableNs: 50, blockedNs: 910, cpuNs: 250 },
      ...{ cudaCalls: 1, cudaNs: 40, insideJob: true },
    });
    expect(processes[0].threads.map(({ role }) => role)).toEqual(['main', 'queue-feeder']);
    expect(bases[0].aggregated).toEqual([]);
  });

  test('takes no helper’s idling for a stall, and links the longest', () => {
    const [main] = processBreakdown(loaderTrace()).processes;
    expect(main).toMatchObject({ longestStallNs: 100, longestStall: { table: 'off_cpu', row: 2 } });
    expect(main.threads[1].longestStallNs).toBe(800);
  });

  test('says of a stranger only what its slices say', () => {
    const stranger = processBreakdown(loaderTrace()).processes[2];
    expect(stranger).toMatchObject({ cpuNs: 150, insideJob: false });
    expect(stranger.switches).toBeUndefined();
    expect(stranger.runnableNs).toBeUndefined();
  });

  test('counts in a range what lies in it', () => {
    const { processes } = processBreakdown(loaderTrace(), { startNs: 220, endNs: 450 });
    expect(processes[0]).toMatchObject({ switches: 1, cudaCalls: 0, cudaNs: 20, cpuNs: 130 });
    expect(processes[1]).toMatchObject({ switches: 1 });
    expect(processes[2]).toMatchObject({ cpuNs: 50 });
  });

  test('leaves out what the trace does not have', () => {
    const trace = withRoles(
      buildTrace({ processes: [{ pid: 1, name: 'x' }], threads: [{ tid: 1, process: 0 }] }),
    );
    const { processes, note } = processBreakdown(trace);
    expect(Object.keys(processes[0])).not.toContain('switches');
    expect(Object.keys(processes[0])).not.toContain('cudaCalls');
    expect(note).toBe('This trace holds no context switches.');
  });

  test('marks what the recorder only summed', () => {
    const trace = withRoles(
      buildTrace({
        names: [
          ['HOST', 'sched_switch'],
          ['', 'HOST'],
        ],
        processes: [{ pid: 1, name: 'x' }],
        threads: [{ tid: 1, process: 0 }],
        provenance: { off_cpu: { kind: 'partial', note: '' } },
        rows: {
          off_cpu: [{ thread: 0, startNs: 5, durationNs: 3 }],
          aggregate: [
            { thread: 0, op: 0, source: 1, count: 500, totalNs: 900, maxNs: 44, durationNs: 1e9 },
          ],
        },
      }),
    );
    const { processes, bases } = processBreakdown(trace);
    expect(processes[0]).toMatchObject({ switches: 500, offCpuNs: 900, longestStallNs: 44 });
    // The longest is in the sums only: no stored event is it.
    expect(processes[0].longestStall).toBeUndefined();
    expect(bases[0].aggregated).toContain('switches');
    const range = processBreakdown(trace, { startNs: 0, endNs: 100 });
    expect(range.processes[0].switches).toBe(1);
    expect(range.bases[0].aggregated).toEqual([]);
    expect(range.note).toContain('left out of a range');
  });

  test('says at least of launches that were probed in windows', () => {
    const told = (op: number) => {
      const trace = withRoles(
        buildTrace({
          names: [
            ['CUDA', 'cudaLaunchKernel'],
            ['', 'CUDA'],
            ['LOST', 'launch'],
            ['LOST', 'off_cpu'],
          ],
          processes: [{ pid: 1, name: 'x' }],
          threads: [{ tid: 1, process: 0 }],
          rows: {
            cuda_call: [{ thread: 0, op: 0, startNs: 5, durationNs: 3 }],
            aggregate: [
              { thread: 0, op: 0, source: 1, count: 9, stored: 1, totalNs: 90, durationNs: 100 },
            ],
            gap: [{ startNs: 100, durationNs: 900, lost: -1, op }],
          },
        }),
      );
      const { bases } = processBreakdown(trace);
      return bases[0].atLeast.includes('cudaCalls');
    };
    expect([told(2), told(3)]).toEqual([true, false]);
  });

  describe('tells calls and their time on one basis, as the role does', () => {
    const names = [
      ['CUDA', 'cudaMemcpyAsync'],
      ['DRIVER', 'cuMemcpyAsync'],
      ['', 'CUDA'],
    ] as const;
    const told = (aggregate: object[]) => {
      const trace = withRoles(
        buildTrace({
          names,
          processes: [{ pid: 1, name: 'x' }],
          threads: [{ tid: 1, process: 0 }],
          provenance: { cuda_call: { kind: 'partial', note: '' } },
          rows: {
            cuda_call: [
              { thread: 0, op: 0, startNs: 5, durationNs: 3, parent: -1 },
              { thread: 0, op: 1, startNs: 6, durationNs: 1, parent: 0 },
            ],
            aggregate: aggregate.map((sum) => ({
              ...{ thread: 0, source: 2, durationNs: 1e9 },
              ...sum,
            })),
          },
        }),
      );
      const { processes, bases } = processBreakdown(trace);
      const { cudaCalls, cudaNs, roleBasis } = processes[0];
      const isIn = (list: readonly string[]) =>
        list.includes('cudaNs') && list.includes('cudaCalls');
      return [cudaCalls, cudaNs, roleBasis, isIn(bases[0].aggregated), isIn(bases[0].atLeast)];
    };
    const runtime = { op: 0, count: 400, stored: 1, totalNs: 1_200 };

    test('of the recorder’s sums', () => {
      expect(told([runtime])).toEqual([
        ...[400, 1_200, 'makes all 400 CUDA calls of this trace', true, false],
      ]);
    });

    test('of these at least, where calls of the driver are summed that a runtime call may have made', () => {
      expect(told([runtime, { op: 1, count: 900, stored: 1, totalNs: 300 }])).toEqual([
        ...[400, 1_200, 'makes all CUDA calls of this trace, at least 400', true, true],
      ]);
    });

    test('of what is stored, where there are no sums', () => {
      expect(told([])).toEqual([1, 3, 'makes the only CUDA call of this trace', false, true]);
    });
  });

  test('a gap of one host leaves the figures of another whole', () => {
    const built = buildTrace({
      processes: [{ pid: 1 }, { pid: 1, host: 1 }],
      threads: [
        { tid: 1, process: 0 },
        { tid: 1, process: 1 },
      ],
      rows: {
        off_cpu: [0, 1].map((thread) => ({ thread, startNs: 5, durationNs: 3 })),
        gap: [{ startNs: 0, durationNs: 9, lost: 1, host: 1 }],
      },
    });
    const { bases, processes } = processBreakdown(withRoles({ ...built, hosts: [{}, {}] }));
    expect(bases.map(({ atLeast }) => atLeast.includes('switches'))).toEqual([false, true]);
    expect(processes.map(({ hostIndex }) => hostIndex)).toEqual([0, 1]);
  });
});
