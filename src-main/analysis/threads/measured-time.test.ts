import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../shared/model/trace.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { accountTime } from './account-time.ts';

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSynchronize'],
] as const;
const [COPY, SYNC] = [0, 1];

interface Case {
  readonly rows?: TracePlan['rows'];
  readonly column?: Provenance;
  readonly streamEmpty?: boolean;
  /** Where the time that is split ends: the call lasts from 0 to 100. */
  readonly endNs?: number;
}

/** A call of 100 ns without a single switch in the trace. */
function parts(call: Row<'cuda_call'>, { rows, column, streamEmpty, endNs = 100 }: Case = {}) {
  const row = { thread: 0, layer: 1, op: SYNC, startNs: 0, durationNs: 100, ...call };
  const built = buildTrace({
    names,
    processes: [{ pid: 9 }],
    threads: [{ tid: 9 }],
    rows: { cuda_call: [row], ...rows },
  });
  const { cuda_call } = built.tables;
  const columnProvenance: Record<string, Provenance> = column ? { offCpuNs: column } : {};
  const tables = { ...built.tables, cuda_call: { ...cuda_call, columnProvenance } };
  const options = { call: { row: 0, ...(streamEmpty !== undefined && { streamEmpty }) } };
  return accountTime({ ...built, tables }, undefined, 0, 0, endNs, options);
}

const told = (...given: Parameters<typeof parts>) =>
  parts(...given).map(({ kind, detail, ns }) => [kind, detail, ns]);

test('of a part of a copy, no more is copying than is left if all the time off the CPU lay in it', () => {
  const gpu_work = [{ startNs: 40, durationNs: 60, call: 0, direction: 1 }];
  const copy = {
    op: COPY,
    hostMemory: 4,
    direction: 1,
    bytes: 2 ** 20,
    offCpuNs: 20,
    runQueueNs: 20,
  };
  const whole = parts(copy, { rows: { gpu_work } });
  expect(whole.map(({ detail, ns, isBound }) => [detail, ns, isBound])).toContainEqual([
    ...['staging-copy', 40, true],
  ]);
  // The GPU copies from 40 to 80 of these 80: 16 of the 20 is this part's share, but all may lie in it.
  const part = parts(copy, { rows: { gpu_work }, endNs: 80 });
  expect(part.map(({ detail, ns, isBound }) => [detail, ns, isBound])).toContainEqual([
    ...['staging-copy', 20, true],
  ]);
  expect(part.find(({ kind }) => kind === 'runnable')).toMatchObject({
    ...{ ns: 16, basis: 'inferred', isBound: true },
  });
});

describe('sums measured around a call', () => {
  test.each([
    [{ kind: 'exact', note: '' }, 'exact', 'as the recorder measured around this call'],
    [{ kind: 'partial', note: '' }, 'exact', 'as the recorder measured around this call'],
    [
      { kind: 'sampled', everyNs: 10e6, note: '' },
      'inferred',
      'by the recorder’s samples of this call, one every 10.00 ms: about this much',
    ],
    [
      { kind: 'aggregated', everyNs: 1e9, note: '' },
      'aggregated',
      'by the recorder’s sums over 1.000 s, not measured for this call alone',
    ],
    [{ kind: 'inferred', note: '' }, 'inferred', 'worked out for this call, not measured'],
  ] as const)('have the basis of their column: %j', (column, basis, reason) => {
    const [off, ran] = parts({ offCpuNs: 30 }, { column });
    expect(off).toMatchObject({ kind: 'off-cpu', ns: 30, basis, reason });
    expect(ran).toMatchObject({
      kind: 'running',
      ns: 70,
      reason: 'what that leaves of the call (waiting for the GPU)',
    });
    expect(ran?.basis).toBe(basis === 'exact' ? 'inferred' : basis);
  });

  test('count what was stolen, and each of them alone', () => {
    expect(told({ offCpuNs: 30, runQueueNs: 20, stolenNs: 15 })).toEqual([
      ['runnable', 'unknown', 20],
      ['blocked', 'unknown', 10],
      ['running', 'device-wait', 55],
      ['running', 'stolen', 15],
    ]);
    expect(told({ runQueueNs: 20, stolenNs: 15 })).toEqual([
      ['runnable', 'unknown', 20],
      ['running', 'stolen', 15],
      ['unexplained', undefined, 65],
    ]);
  });

  test('leave a call that never left the CPU to what it did there', () => {
    const copy = { op: COPY, direction: 1, bytes: 2 ** 23, hostMemory: 4, offCpuNs: 0 };
    const gpu_work = [{ startNs: 40, durationNs: 50, gpu: 0, call: 0, direction: 1 }];
    expect(told(copy, { rows: { gpu_work } })).toEqual([
      ['running', 'staging-copy', 50],
      ['running', 'device-wait', 40],
      ['running', 'other', 10],
    ]);
    expect(parts(copy, { streamEmpty: true })).toMatchObject([
      { detail: 'staging-copy', ns: 100, basis: 'inferred' },
    ]);
  });

  test('tell of the GPU’s record what must have been on the CPU', () => {
    const copy = { op: COPY, direction: 1, bytes: 2 ** 23, hostMemory: 4, offCpuNs: 20 };
    const gpu_work = [{ startNs: 40, durationNs: 50, gpu: 0, call: 0, direction: 1 }];
    const split = parts({ ...copy, runQueueNs: 20 }, { rows: { gpu_work } });
    expect(split.map(({ kind, detail, ns }) => [kind, detail, ns])).toEqual([
      ['runnable', 'unknown', 20],
      ['running', 'staging-copy', 30],
      ['running', 'unknown', 30],
      ['running', 'device-wait', 20],
    ]);
    expect(split[1]?.reason).toBe('copying pageable memory, while the GPU did the copy, at least');
    expect(split[2]?.reason).toContain('which did the copy in 50 ns of the call');
  });

  test('are shared out where only a part of the call is asked about, and no more exact', () => {
    const sums = { offCpuNs: 40, runQueueNs: 40 };
    expect(parts(sums, { endNs: 25 })).toMatchObject([
      { kind: 'runnable', ns: 10, basis: 'inferred' },
      { kind: 'running', ns: 15, basis: 'inferred' },
    ]);
  });
});
