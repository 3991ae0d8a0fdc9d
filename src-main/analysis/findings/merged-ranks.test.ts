import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { type Alignment, alignTraces } from '../../trace/align/align-traces.ts';
import { mergeTraces } from '../../trace/merge/merge-traces.ts';
import { allReduce, GpuJob, gpuTrace, MS, US } from '../testing/gpu-job.ts';
import { diagnose } from './diagnose.ts';

/** Ranks of which each was recorded by itself, on a machine of its own: together they tell what one trace of all tells. */

const RANKS = 3;

/** The second one reads 10 ms longer than the others. No two steps take as long. */
function trained(steps = 40): Trace {
  const jobs = Array.from({ length: RANKS }, (_, rank) => new GpuJob(rank));
  for (let step = 0; step < steps; step++) {
    const unevenNs = ((step * step * 7) % 31) * 40 * US;
    jobs.forEach((job, rank) => {
      job.input(500 * US + (rank === 1 ? 10 * MS : 0) + unevenNs);
      for (let kernel = 0; kernel < 4; kernel++) job.launch(500 * US, rank * 16);
    });
    allReduce(jobs, 200 * US);
    jobs.forEach((job, rank) => {
      job.launch(100 * US, rank * 16);
      job.sync(rank * 16);
      job.step();
    });
  }
  return gpuTrace(jobs, { gpus: RANKS });
}

/** What was recorded of one rank, by a clock that is `wrongNs` ahead. */
function alone(all: Trace, rank: number, wrongNs: number): Trace {
  const rowsOf = (table: 'cuda_call' | 'range') =>
    Array.from(all.tables[table].columns.thread).flatMap((thread, row) =>
      thread === rank ? [row] : [],
    );
  const calls = rowsOf('cuda_call');
  const places = new Map(calls.map((row, place) => [row, place]));
  const work = Array.from(all.tables.gpu_work.columns.gpu.keys()).filter(
    (row) => all.tables.gpu_work.columns.gpu[row] === rank,
  );
  const picked = {
    ...all.tables,
    cuda_call: pick(all.tables.cuda_call, calls, { thread: () => 0 }),
    range: pick(all.tables.range, rowsOf('range'), { thread: () => 0 }),
    gpu_work: pick(all.tables.gpu_work, work, {
      process: () => 0,
      gpu: () => 0,
      call: (row) => places.get(row) ?? -1,
    }),
  };
  return {
    ...all,
    meta: { ...all.meta, beginUnixNs: 1_700_000_000_000_000_000n + BigInt(wrongNs) },
    hosts: [{ hostname: `node${rank}` }],
    gpus: [all.gpus[rank] ?? { model: '' }],
    processes: all.processes.slice(rank, rank + 1),
    threads: all.threads.slice(rank, rank + 1).map((thread) => ({ ...thread, process: 0 })),
    tables: picked,
  };
}

function pick<T extends { readonly columns: object; readonly rows: number }>(
  table: T,
  rows: readonly number[],
  changed: Readonly<Record<string, (cell: number) => number>>,
): T {
  const columns = Object.entries(table.columns).map(([name, cells]) => {
    const own = (cells as Float64Array).constructor as Float64ArrayConstructor;
    const change = changed[name] ?? ((cell: number) => cell);
    return [name, own.from(rows, (row) => change((cells as Float64Array)[row] ?? -1))];
  });
  return { ...table, rows: rows.length, columns: Object.fromEntries(columns) };
}

function merged(traces: readonly Trace[], alignments: readonly Alignment[]): Trace {
  const result = mergeTraces(
    traces.map((trace, at) => ({ trace, ...(alignments[at] as Alignment) })),
  );
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const all = trained();

describe('ranks that were recorded by themselves', () => {
  test('are brought in line by their collectives, however wrong their clocks are', () => {
    const wrong = fc.integer({ min: -1_500_000_000, max: 1_500_000_000 });
    fc.assert(
      fc.property(wrong, wrong, (one, other) => {
        const traces = [alone(all, 0, 0), alone(all, 1, one), alone(all, 2, other)];
        const alignments = alignTraces(traces);
        expect(alignments.map(({ by }) => by)).toEqual(['first', 'collectives', 'collectives']);
        [one, other].forEach((wrongNs, at) => {
          const { offsetNs, uncertaintyNs = 0, count } = alignments[at + 1] as Alignment;
          // The exchange of the next rank ends a microsecond later.
          expect(Math.abs(offsetNs + wrongNs)).toBeLessThanOrEqual(uncertaintyNs + (at + 1) * US);
          expect(uncertaintyNs).toBeLessThan(10 * US);
          expect(count).toBe(40);
        });
      }),
      { numRuns: 20, seed: 20_261_128 },
    );
  });

  test('name the late one as one trace of all does', () => {
    const traces = [0, 1, 2].map((rank) => alone(all, rank, rank * 123 * MS));
    const whole = diagnose(all).diagnosis;
    const told = diagnose(merged(traces, alignTraces(traces))).diagnosis;
    expect(told.verdict).toBe(whole.verdict);
    const [ours, theirs] = [told, whole].map(({ findings }) =>
      findings.map(({ id, rank }) => `${id} ${rank}`),
    );
    expect(ours).toEqual(theirs);
    expect(ours?.join()).toContain('late-rank');
    told.findings.forEach(({ costNs }, at) => {
      const expected = whole.findings[at]?.costNs ?? 0;
      expect(Math.abs(costNs - expected)).toBeLessThan(0.01 * expected + 100 * US);
    });
  });

  test('are not compared where nothing brings their clocks in line', () => {
    const traces = [0, 1, 2].map((rank) => alone(all, rank, 0));
    const open = traces.map(
      (_, at): Alignment =>
        at === 0
          ? { offsetNs: 0, uncertaintyNs: 0, by: 'first', count: 0 }
          : { offsetNs: 0, by: 'none', count: 0 },
    );
    const { findings } = diagnose(merged(traces, open)).diagnosis;
    expect(findings.map(({ id }) => id)).not.toContain('late-rank');
  });

  test('whose clocks are known to a millisecond are not compared by what is closer', () => {
    const traces = [0, 1, 2].map((rank) => alone(all, rank, 0));
    const coarse = traces.map((_, at): Alignment => {
      const uncertaintyNs = at === 0 ? 0 : MS;
      return { offsetNs: 0, uncertaintyNs, by: 'steps', count: 3 };
    });
    const { findings } = diagnose(merged(traces, coarse)).diagnosis;
    expect(findings.map(({ id }) => id)).not.toContain('late-rank');
  });
});
