import { expect, test } from 'vitest';
import type { Phase } from '../../../shared/answers/steps.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { buildFacts } from '../testing/build-facts.ts';
import { mainCauses } from './main-causes.ts';

const MS = 1e6;

const { rank } = buildFacts();

/** One call of 100 ms; for 40 of them its thread waits for CPU 0, on which a stranger runs. */
function causesOf(name: string, phase: Phase, call: number) {
  const slice = (startMs: number, endMs: number, thread: number) => ({
    startNs: startMs * MS,
    durationNs: (endMs - startMs) * MS,
    thread,
    cpu: 0,
  });
  const away = (startMs: number, endMs: number) => ({
    ...slice(startMs, endMs, 0),
    state: 0,
    runQueueNs: (endMs - startMs) * MS,
    cpuOut: 0,
    cpuIn: 0,
  });
  const strip = ({ cpu: _cpu, ...row }: ReturnType<typeof away>) => row;
  const trace = buildTrace({
    processes: [{ pid: 1, role: 'main' }, { pid: 9 }],
    threads: [
      { tid: 1, process: 0, role: 'main' },
      { tid: 9, process: 1, name: 'rival' },
    ],
    names: [['CUDA', name]],
    rows: {
      cuda_call: [{ startNs: 100 * MS, durationNs: 100 * MS, thread: 0, op: 0, layer: 1 }],
      off_cpu: [away(50, 60), away(120, 160), away(250, 260)].map(strip),
      on_cpu: [slice(50, 60, 1), slice(120, 160, 1), slice(250, 260, 1)],
    },
  });
  const sums: Record<string, number> = {};
  for (const { cause, ns } of mainCauses(trace, rank, phase, call, 100 * MS, 200 * MS))
    sums[cause] = (sums[cause] ?? 0) + ns / MS;
  return sums;
}

test('who takes the CPU from a thread that waits for the GPU delays nothing', () => {
  expect(causesOf('cudaStreamSynchronize', 'compute', 0)).toEqual({ device: 100 });
});

test('who takes it from one that has work to do does', () => {
  expect(causesOf('cudaStreamSynchronize', 'other', -1)).toEqual({
    running: 60,
    'runnable-other': 40,
  });
  expect(causesOf('cudaLaunchKernel', 'compute', 0)).toMatchObject({ 'runnable-other': 40 });
});

test('memory that the loader allocates is told as such, not as its running', () => {
  expect(causesOf('cudaHostAlloc', 'input', 0)).toEqual({ allocation: 60, 'runnable-other': 40 });
  expect(causesOf('cudaHostAlloc', 'input', -1)).toEqual({ running: 60, 'runnable-other': 40 });
});

test('time off the CPU for a reason that is not recorded is told from time of which nothing is known', () => {
  // Neither the state at switch-out nor a wake-up: as of a recorder that stores when a thread left the CPU only.
  const trace = buildTrace({
    processes: [{ pid: 1, role: 'main' }],
    threads: [{ tid: 1, process: 0, role: 'main' }],
    names: [['CUDA', 'cudaLaunchKernel']],
    rows: { off_cpu: [{ startNs: 120 * MS, durationNs: 40 * MS, thread: 0 }] },
  });
  const causes = (from: number, to: number) =>
    mainCauses(trace, rank, 'other', -1, from * MS, to * MS).map(({ cause, ns }) => [
      cause,
      ns / MS,
    ]);
  expect(causes(120, 160)).toEqual([['off-cpu', 40]]);
  const partial = { ...trace.tables.off_cpu, provenance: { kind: 'partial', note: '' } as const };
  const nothing = { ...trace, tables: { ...trace.tables, off_cpu: partial } };
  expect(
    mainCauses(nothing, rank, 'other', -1, 200 * MS, 300 * MS).map(({ cause }) => cause),
  ).toEqual(['unknown']);
});
