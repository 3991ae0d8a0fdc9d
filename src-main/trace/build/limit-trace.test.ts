import { describe, expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { MAX_NAMES } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { limitTrace, MAX_ENTITIES } from './limit-trace.ts';

const warnings = ({ notices }: Trace) => notices.map(({ text }) => text);
const many = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

/** More threads than are kept, each of a process of its own; the last made the only CUDA call. */
function crowd(): Trace {
  const count = MAX_ENTITIES + 1000;
  return buildTrace({
    processes: many(count, (at) => ({ pid: at, parent: at - 1 })),
    threads: many(count, (at) => ({ tid: at, process: at })),
    rows: {
      cuda_call: [{ thread: count - 1 }],
      off_cpu: [{ thread: 0 }, { thread: count - 2, waker: count - 3 }],
      gpu_work: [{ process: count - 1 }, { process: count - 3 }],
    },
  });
}

describe('limitTrace', () => {
  test('leaves a trace of ordinary size as it is', () => {
    const trace = buildTrace({ processes: [{ pid: 1 }], threads: [{ tid: 1 }] });
    expect(limitTrace(trace)).toBe(trace);
  });

  test('keeps the threads that made CUDA calls, then those with any event', () => {
    const { processes, threads, tables } = limitTrace(crowd());
    expect([processes.length, threads.length]).toEqual([MAX_ENTITIES, MAX_ENTITIES]);
    const tidOf = (thread: number) => threads[thread]?.tid;
    expect(tidOf(tables.cuda_call.columns.thread[0] ?? -1)).toBe(MAX_ENTITIES + 999);
    expect([...tables.off_cpu.columns.thread].map(tidOf)).toEqual([0, MAX_ENTITIES + 998]);
    expect(tables.off_cpu.columns.waker?.[1]).toBe(-1);
    const [own, leftOut] = tables.gpu_work.columns.process ?? [];
    expect(processes[own ?? -1]?.pid).toBe(MAX_ENTITIES + 999);
    expect(leftOut).toBe(-1);
  });

  test('keeps every thread with its process and every parent that is kept', () => {
    const { processes, threads } = limitTrace(crowd());
    for (const { tid, process } of threads) expect(processes[process]?.pid).toBe(tid);
    for (const { pid, parent } of processes)
      if (parent !== -1) expect(processes[parent]?.pid).toBe(pid - 1);
  });

  test('says how many are left out', () => {
    expect(warnings(limitTrace(crowd()))).toEqual([
      'The file has 66,536 threads, of which 1,000 are left out: 65,536 are kept, those with CUDA calls first; events that refer to the others show “not known”.',
      'The file has 66,536 processes, of which 1,000 are left out: 65,536 are kept; events that refer to the others show “not known”.',
    ]);
  });

  test('limits names, streams and GPUs too', () => {
    const trace: Trace = {
      ...buildTrace({
        rows: {
          cuda_call: [
            { stream: MAX_ENTITIES, op: MAX_NAMES },
            { stream: 3, op: 5 },
          ],
          off_cpu: [{ file: MAX_NAMES - 1 }, { file: 0 }],
        },
      }),
      names: many(MAX_NAMES + 1, String),
      nameSources: many(MAX_NAMES + 1, () => ''),
      streams: many(MAX_ENTITIES + 1, (at) => ({ name: String(at), context: -1 })),
      gpus: many(1025, () => ({ model: 'x' })),
    };
    const limited = limitTrace(trace);
    expect(limited.names).toHaveLength(MAX_NAMES);
    expect(limited.nameSources).toHaveLength(MAX_NAMES);
    const { op } = limited.tables.cuda_call.columns;
    expect([...op].map((name) => limited.names[name])).toEqual([String(MAX_NAMES), '5']);
    expect([...(limited.tables.off_cpu.columns.file ?? [])]).toEqual([-1, 0]);
    expect(limited.streams).toHaveLength(MAX_ENTITIES);
    expect(limited.gpus).toHaveLength(1024);
    expect([...(limited.tables.cuda_call.columns.stream ?? [])]).toEqual([-1, 3]);
    expect(warnings(limited)).toHaveLength(3);
  });

  test('limits what a recording tool found', () => {
    const occurrence = {
      op: '',
      detectedNs: 0,
      severity: 'LOW',
      p50Us: 0,
      p99Us: 0,
      detail: '',
    } as const;
    const finding = {
      foundBy: '',
      ops: [],
      causes: [],
      severity: 'LOW',
      summary: '',
      explanation: '',
      recommendations: [],
      occurrences: many(1000, () => occurrence),
    } as const;
    const limited = limitTrace({ ...buildTrace({}), sourceFindings: many(1001, () => finding) });
    expect(limited.sourceFindings).toHaveLength(1000);
    const occurrences = limited.sourceFindings.reduce(
      (sum, one) => sum + one.occurrences.length,
      0,
    );
    expect(occurrences).toBe(100_000);
    expect(warnings(limited).join()).toContain('only the first are shown');
  });

  test('cuts texts that are too long together', () => {
    const long = '"'.repeat(4096);
    const trace = buildTrace({
      processes: many(MAX_ENTITIES, (at) => ({ pid: at, name: long, commandLine: long })),
    });
    const limited = limitTrace(trace);
    expect(JSON.stringify(limited.processes).length).toBeLessThan(2 ** 28);
    expect(limited.processes[5]).toMatchObject({ pid: 5, role: 'other', parent: -1 });
    expect(warnings(limited).join()).toContain('cut to 256 characters');
  });
});
