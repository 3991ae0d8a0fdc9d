import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileName } from '../../../test/fixtures/hostile/names.ts';
import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import type { LoadedTables, TraceData } from '../../timeline/model/trace-data.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { type PerfettoTrace, readPerfetto } from '../testing/read-perfetto.ts';
import { perfettoTrace } from './perfetto-trace.ts';

const KERNEL = codeOf(gpuWorkKinds, 'kernel');
const VIEWER = { host: 'desk', user: 'evelyn' };

/** Two launches, the outer one around the inner one, which a kernel was made by; a wait, samples, a loss. */
function traceOf(name = 'python', changes: Partial<LoadedTables> = {}): TraceData {
  const summary = fakeSummary(
    { cuda_call: 2, off_cpu: 1, gpu_work: 1, sample: 2, gap: 1 },
    {
      lengthNs: 1_000,
      hosts: [{ hostname: 'secret-box', cpuCount: 4 }],
      gpus: [{ model: 'GPU A' }],
      processes: [
        {
          pid: 10,
          name,
          commandLine: '/home/ada/bin/python train.py --token=abc123',
          parent: -1,
          role: 'main',
          roleBasis: 'test',
        },
      ],
      threads: [{ tid: 10, process: 0, name, role: 'main' }],
      names: ['cudaLaunchKernel', 'cuLaunchKernel', 'gemm', 'CPU (%)'],
      nameSources: ['CUDA', 'CUDA', 'CUDA', ''],
      gpuWork: { counts: { unknown: 0, kernel: 1, copy: 0, fill: 0, graph: 0 }, readable: {} },
    },
  );
  const tables: LoadedTables = {
    cuda_call: {
      startNs: Float64Array.of(100, 120),
      durationNs: Float64Array.of(100, 50),
      thread: Int32Array.of(0, 0),
      op: Uint16Array.of(0, 1),
      parent: Int32Array.of(-1, 0),
    },
    off_cpu: {
      startNs: Float64Array.of(300),
      durationNs: Float64Array.of(200),
      thread: Int32Array.of(0),
      state: Int32Array.of(1),
    },
    gpu_work: {
      startNs: Float64Array.of(400),
      durationNs: Float64Array.of(300),
      op: Uint16Array.of(2),
      kind: Uint8Array.of(KERNEL),
      gpu: Int32Array.of(0),
      stream: Int32Array.of(-1),
      process: Int32Array.of(0),
      call: Int32Array.of(1),
    },
    sample: {
      startNs: Float64Array.of(0, 900),
      metric: Uint16Array.of(3, 3),
      value: Float64Array.of(10, 90.5),
    },
    gap: { startNs: Float64Array.of(800), durationNs: Float64Array.of(40) },
    ...changes,
  };
  return { traceId: 't', summary, tables };
}

function exported(data: TraceData, hidePrivate = false): PerfettoTrace {
  return readPerfetto(Buffer.concat([...perfettoTrace(data, { hidePrivate }, VIEWER)]));
}

function eventsOf(trace: PerfettoTrace, track: RegExp) {
  const found = trace.tracks.find(({ name }) => track.test(name));
  expect(found, trace.tracks.map(({ name }) => name).join('\n')).toBeDefined();
  return found?.events ?? [];
}

describe('a timeline as a trace of Perfetto', () => {
  const trace = exported(traceOf());

  test('has calls within each other, with the rows they are', () => {
    const row = 'row of cuda_call';
    expect(eventsOf(trace, /CUDA calls/)).toMatchObject([
      { name: 'cudaLaunchKernel', startNs: 100, durationNs: 100, depth: 0, numbers: { [row]: 0 } },
      { name: 'cuLaunchKernel', startNs: 120, durationNs: 50, depth: 1, numbers: { [row]: 1 } },
    ]);
  });

  test('links the outermost call to what the GPU did for it', () => {
    const [outer, inner] = eventsOf(trace, /CUDA calls/);
    const kernel = trace.tracks.flatMap(({ events }) => events).find(({ name }) => name === 'gemm');
    expect(kernel).toMatchObject({ startNs: 400, durationNs: 300 });
    expect(outer?.flowIds).toEqual(kernel?.flowIds);
    expect(outer?.flowIds).toHaveLength(1);
    expect(inner?.flowIds).toEqual([]);
  });

  test('has states, losses, and values with their unit', () => {
    expect(eventsOf(trace, /State/)).toContainEqual(
      expect.objectContaining({ startNs: 300, durationNs: 200 }),
    );
    expect(eventsOf(trace, /lost/)).toMatchObject([
      { startNs: 800, numbers: { 'duration in ns': 40 } },
    ]);
    const values = trace.tracks.find((track) => track.values.length > 0);
    expect(values).toMatchObject({
      unit: '%',
      values: [
        [0, 10],
        [900, 90.5],
      ],
    });
  });

  test('says when it was in the calendar', () => {
    expect(trace.clocks).toEqual([
      [6, '1000000000'],
      [1, '1771782066123456789'],
    ]);
  });

  test('has each track once, below its group', () => {
    const names = trace.tracks.map(({ name, parent }) => `${parent} > ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const parents = new Set(trace.tracks.map(({ parent }) => parent).filter((name) => name));
    expect([...parents].some((name) => name?.includes('pid 10'))).toBe(true);
  });

  test('keeps host, user, folders and arguments back where it is to', () => {
    const data = traceOf('/home/ada/run --token=abc123 on secret-box by evelyn');
    const told = (hidePrivate: boolean) => JSON.stringify(exported(data, hidePrivate));
    for (const word of ['ada', 'abc123', 'secret-box', 'evelyn']) {
      expect(told(false)).toContain(word);
      expect(told(true)).not.toContain(word);
    }
  });

  test('events that overlap in part are on lines of their own', () => {
    const data = traceOf('python', {
      cuda_call: {
        startNs: Float64Array.of(100, 150),
        durationNs: Float64Array.of(100, 100),
        thread: Int32Array.of(0, 0),
        op: Uint16Array.of(0, 1),
      },
    });
    const calls = exported(data).tracks.filter(({ name }) => name.includes('CUDA calls'));
    expect(calls.map(({ events }) => events.map(({ durationNs }) => durationNs))).toEqual([
      [100],
      [100],
    ]);
    expect(calls[1]?.name).toMatch(/ \(2\)$/);
  });

  test('whatever a program is called', () => {
    fc.assert(
      fc.property(fc.oneof(hostileName, fc.string()), (name) => {
        expect(eventsOf(exported(traceOf(name), true), /CUDA calls/)).toHaveLength(2);
      }),
      { numRuns: 50 },
    );
  });

  test('a trace without anything is a trace', () => {
    const data = { traceId: 't', summary: fakeSummary({}, { beginUnixNs: '0' }), tables: {} };
    expect(exported(data)).toEqual({ tracks: [], clocks: [] });
  });
});
