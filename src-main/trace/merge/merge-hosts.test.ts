import { describe, expect, test } from 'vitest';
import { buildTrace, type TracePlan } from '../../analysis/testing/build-trace.ts';
import type { Gpu, Trace } from '../../shared/model/trace.ts';
import type { MergeInput } from './merge-input.ts';
import { mergeTraces } from './merge-traces.ts';

/** A process with one call and one kernel on the GPU of this number, on a machine called node. */
function ranked(pid: number, gpus: readonly Gpu[], gpu: number, plan: TracePlan = {}): Trace {
  return buildTrace({
    processes: [{ pid, name: 'python3' }],
    threads: [{ tid: pid, process: 0 }],
    names: [['CUDA', 'gemm']],
    machine: { hostname: 'node', gpus },
    rows: { gpu_work: [{ startNs: 10, durationNs: 5, op: 0, gpu, process: 0 }], ...plan.rows },
  });
}

function merged(...inputs: readonly MergeInput[]): Trace {
  const result = mergeTraces(inputs);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const gpusOfRows = ({ tables }: Trace) => [...tables.gpu_work.columns.gpu];

describe('two traces of one machine', () => {
  const named: Gpu[] = [
    { model: 'H100', uuid: 'GPU-a' },
    { model: 'H100', uuid: 'GPU-b' },
  ];

  test('are of one host, which has each GPU once', () => {
    const trace = merged(
      { trace: ranked(1, named, 0), offsetNs: 0 },
      { trace: ranked(2, named.toReversed(), 0), offsetNs: 0, sameHostAs: 0 },
    );
    expect(trace.hosts).toEqual([{ hostname: 'node' }]);
    expect(trace.gpus).toEqual(named);
    expect(gpusOfRows(trace)).toEqual([0, 1]);
    expect(trace.processes.map(({ host = 0 }) => host)).toEqual([0, 0]);
  });

  test('know a GPU without a name of its own by its place in the list', () => {
    const listed: Gpu[] = [{ model: 'A100' }, { model: 'A100' }];
    const trace = merged(
      { trace: ranked(1, listed, 0), offsetNs: 0 },
      { trace: ranked(2, listed, 1), offsetNs: 0, sameHostAs: 0 },
    );
    expect(trace.gpus).toEqual(listed);
    expect(gpusOfRows(trace)).toEqual([0, 1]);
  });

  test('that list other GPUs have both', () => {
    const trace = merged(
      { trace: ranked(1, [{ model: 'A100' }], 0), offsetNs: 0 },
      { trace: ranked(2, [{ model: 'L4', pciBusId: '01:00.0' }], 0), offsetNs: 0, sameHostAs: 0 },
    );
    expect(trace.gpus.map(({ model }) => model)).toEqual(['A100', 'L4']);
    expect(gpusOfRows(trace)).toEqual([0, 1]);
  });

  test('share its CPUs', () => {
    const rows = { on_cpu: [{ startNs: 10, durationNs: 5, thread: 0, cpu: 3 }] };
    const trace = merged(
      { trace: ranked(1, [], -1, { rows }), offsetNs: 0 },
      { trace: ranked(2, [], -1, { rows }), offsetNs: 0, sameHostAs: 0 },
      { trace: ranked(3, [], -1, { rows }), offsetNs: 0, hostname: 'other' },
    );
    expect(trace.cpus.map(({ number, host = 0 }) => [number, host])).toEqual([
      [3, 0],
      [3, 1],
    ]);
    const [one, two, three] = [...trace.tables.on_cpu.columns.cpu];
    expect(one).toBe(two);
    expect(three).not.toBe(one);
  });

  test('fill each other’s gaps in what is known of it', () => {
    const [one, two] = [ranked(1, named, 0), ranked(2, named, 1)];
    const trace = merged(
      { trace: { ...one, hosts: [{ hostname: 'node', cpuCount: 8 }] }, offsetNs: 0 },
      {
        trace: { ...two, hosts: [{ hostname: 'node', cpuCount: 9, kernel: '6.1' }] },
        ...{ offsetNs: 0, sameHostAs: 0, label: 'node, rank 1' },
      },
    );
    expect(trace.hosts).toEqual([{ hostname: 'node', cpuCount: 8, kernel: '6.1' }]);
  });
});
