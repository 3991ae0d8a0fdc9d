import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['HOST', 'mm_page_alloc'],
  ['', 'HOST'],
] as const;

/** Main 100 with workers 101–103 of which 101 has no name of its own, and a process 104 forked later. */
function loaderTrace(pagesOf101: number): Trace {
  const pages = [9e5, pagesOf101, 50_000, 60_000, 3];
  return buildTrace({
    names,
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 101, name: 'python3', parent: 0, startNs: 1e9 },
      { pid: 102, name: 'pt_data_worker', parent: 0, startNs: 1.08e9 },
      { pid: 103, name: 'pt_data_worker', parent: 0, startNs: 1.16e9 },
      { pid: 104, name: 'python3', parent: 0, startNs: 1.3e9 },
    ],
    threads: [
      ...[100, 101, 102, 103, 104].map((tid, process) => ({ tid, process, name: 'python3' })),
      { tid: 105, process: 0, name: 'pt_data_pin' },
      { tid: 106, process: 0, name: 'python3' },
      { tid: 107, process: 1, name: 'pt_data_worker' },
    ],
    rows: {
      cuda_call: [
        { thread: 0, op: 0 },
        { thread: 0, op: 0 },
      ],
      aggregate: pages.map((count, thread) => ({ thread, op: 1, source: 2, count, durationNs: 1 })),
    },
  });
}

describe('withRoles', () => {
  test('finds main by its CUDA calls and workers by name, and says why', () => {
    const { processes } = withRoles(loaderTrace(55_000));
    expect(processes.map(({ role }) => role)).toEqual([
      'main',
      'dataloader-worker',
      'dataloader-worker',
      'dataloader-worker',
      'other',
    ]);
    expect(processes[0].roleBasis).toBe('makes all 2 CUDA calls of this trace');
    expect(processes[1].roleBasis).toBe(
      'recorded as python3, but forked by 100 within 80.00 ms of 2 processes named pt_data_worker, with page allocations of the same order (55,000 against 50,000–60,000)',
    );
    expect(processes[2].roleBasis).toBe(
      'named pt_data_worker, PyTorch’s name for a DataLoader worker, started by 100',
    );
  });

  test('takes no process for a worker that began a program of its own', () => {
    const trace = loaderTrace(55_000);
    const exec = { startNs: 1.01e9, thread: 1, kind: codeOf(processEventKinds, 'exec') };
    const { process_event } = buildTrace({ rows: { process_event: [exec] } }).tables;
    const withExec = { ...trace, tables: { ...trace.tables, process_event } };
    expect(withRoles(withExec).processes[1].role).toBe('other');
  });

  test('takes no process for a worker of which the recorder says what it is', () => {
    const trace = loaderTrace(55_000);
    const roleBasis = 'of Python’s multiprocessing, but never in DataLoader’s worker loop';
    const processes = trace.processes.map((process, at) =>
      at === 1 ? { ...process, roleBasis } : process,
    );
    expect(withRoles({ ...trace, processes }).processes[1].role).toBe('other');
  });

  test('takes no unnamed process for a worker that does next to nothing', () => {
    expect(withRoles(loaderTrace(3)).processes[1].role).toBe('other');
  });

  test('gives threads of main their own roles, and others that of their process', () => {
    const { threads } = withRoles(loaderTrace(55_000));
    expect(threads.map(({ role }) => role)).toEqual([
      'main',
      'dataloader-worker',
      'dataloader-worker',
      'dataloader-worker',
      'other',
      'pin-memory',
      'other',
      'dataloader-worker',
    ]);
  });

  test('calls every process with CUDA calls a main of its own', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 1 }, { pid: 3 }],
      threads: [
        { tid: 1, process: 0 },
        { tid: 3, process: 1 },
      ],
      rows: {
        cuda_call: [
          { thread: 0, op: 0 },
          { thread: 1, op: 0 },
          { thread: 1, op: 0 },
        ],
      },
    });
    expect(withRoles(trace).processes).toMatchObject([
      { role: 'main', roleBasis: 'makes CUDA calls too (1 of 3)' },
      { role: 'main', roleBasis: 'makes the most CUDA calls of this trace (2 of 3)' },
    ]);
  });

  test('takes the parent of the workers for main where no CUDA call was recorded', () => {
    const trace = buildTrace({
      processes: [
        { pid: 10, name: 'python3' },
        { pid: 11, name: 'pt_data_worker', parent: 0 },
        { pid: 12, name: 'pt_data_worker', parent: 1 },
      ],
    });
    expect(withRoles(trace).processes).toMatchObject([
      { role: 'main', roleBasis: 'started the DataLoader workers' },
      { role: 'dataloader-worker' },
      { role: 'other', roleBasis: expect.stringContaining('started by the worker 11') },
    ]);
  });

  test('knows kernel threads by parent or name, but not a user process named like one', () => {
    const trace = buildTrace({
      processes: [
        { pid: 2, name: 'kthreadd' },
        { pid: 30, name: 'nvidia-modeset', parent: 0 },
        { pid: 31, name: 'kworker/0:1' },
        { pid: 32, name: 'bash' },
        { pid: 33, name: 'kworker/0:1', parent: 3 },
        { pid: 0, name: 'swapper/0' },
      ],
    });
    expect(withRoles(trace).processes.map(({ role }) => role)).toEqual([
      'kernel',
      'kernel',
      'kernel',
      'other',
      'other',
      'kernel',
    ]);
  });

  test('keeps what the source said', () => {
    const trace = buildTrace({ processes: [{ pid: 5, role: 'main', roleBasis: 'as recorded' }] });
    expect(withRoles(trace).processes[0]).toMatchObject({ role: 'main', roleBasis: 'as recorded' });
  });

  test('judges tens of thousands of children in a moment', () => {
    const children = Array.from({ length: 20_000 }, (_, at) => ({
      pid: 1000 + at,
      name: at % 2 === 0 ? 'pt_data_worker' : 'python3',
      parent: 0,
      startNs: 1e9 + at * 1e6,
    }));
    const processes = [{ pid: 100, name: 'python3' }, ...children];
    const trace = buildTrace({
      names,
      processes,
      threads: processes.map(({ pid }, process) => ({ tid: pid, process })),
      rows: { cuda_call: [{ thread: 0, op: 0 }] },
    });
    let roles: unknown[] = [];
    const spentMs = cpuMs(() => {
      roles = withRoles(trace).processes.map(({ role }) => role);
    });
    expect(spentMs).toBeLessThan(4000);
    expect(roles.filter((role) => role === 'dataloader-worker').length).toBeGreaterThan(19_000);
  });
});

test('who compiles and serves on the machine beside the job has no part in it', () => {
  const names = ['python3', 'sh', 'gcc', 'make', 'cc1', 'uvicorn'];
  const parents = [-1, 0, 1, -1, 3, 3];
  const trace = buildTrace({
    names: [['CUDA', 'cudaMemcpyAsync']],
    processes: names.map((name, index) => ({
      pid: index + 100,
      name,
      parent: parents[index] ?? -1,
    })),
    threads: names.map((name, process) => ({ tid: process + 100, process, name })),
    rows: { cuda_call: [{ thread: 0, op: 0 }] },
  });
  const roles = withRoles(trace).processes.map(({ role }) => role);
  expect(roles).toEqual(['main', 'compiler', 'compiler', 'other', 'other', 'other']);
});

test('without a CUDA call a server is known by its name, and compilers only below it', () => {
  const names = ['vllm', 'cicc', 'make', 'cc1'];
  const parents = [-1, 0, -1, 2];
  const trace = buildTrace({
    processes: names.map((name, index) => ({
      pid: 100 + index,
      name,
      parent: parents[index] ?? -1,
    })),
    threads: names.map((name, process) => ({ tid: 100 + process, process, name })),
  });
  const roles = withRoles(trace).processes.map(({ role }) => role);
  expect(roles).toEqual(['server', 'compiler', 'other', 'other']);
});
