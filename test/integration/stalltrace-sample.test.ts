import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableNames } from '../../src-main/shared/model/schema.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { narrowColumns } from '../../src-main/trace/build/narrow-columns.ts';
import { stalltraceImporter } from '../../src-main/trace/formats/stalltrace/importer.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { openSource } from '../../src-main/trace/source/trace-source.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';

/** The bundled sample, written and opened as the app does it. */

interface Interval {
  readonly startNs: number;
  readonly endNs: number;
}

let folder = '';
let trace: Trace;

function importFile(path: string): Trace {
  const opened = openSource(path, folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const source = opened.value;
  const imported = stalltraceImporter.importTrace(source, {
    fileName: source.fileName,
    progress() {},
  });
  source.close();
  if (!imported.ok) throw new Error(imported.error.message);
  return imported.value;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-sample-'));
  const path = join(folder, 'sample.db');
  expect(writeTraceFile(path, simulateDataloaderStarvation()).ok).toBe(true);
  trace = importFile(path);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The rows of a table as intervals, by the value of one of their columns. */
function intervalsBy(table: 'on_cpu' | 'off_cpu', column: 'thread' | 'cpu') {
  const columns = trace.tables[table].columns as unknown as Record<string, Float64Array>;
  const byKey = new Map<number, Interval[]>();
  columns.startNs?.forEach((startNs, row) => {
    const key = columns[column]?.[row] ?? -1;
    const endNs = startNs + (columns.durationNs?.[row] ?? 0);
    byKey.set(key, [...(byKey.get(key) ?? []), { startNs, endNs }]);
  });
  return byKey;
}

const byStart = (left: Interval, right: Interval) =>
  left.startNs - right.startNs || left.endNs - right.endNs;

describe('the sample', () => {
  test('is small, says that it is synthetic, and is what it was simulated to be', () => {
    expect(statSync(join(folder, 'sample.db')).size).toBeLessThan(3_000_000);
    expect(trace.meta.synthetic).toContain('no machine was recorded');
    expect(narrowColumns(trace)).toEqual(narrowColumns(simulateDataloaderStarvation()));
    const events = tableNames.reduce((sum, table) => sum + trace.tables[table].rows, 0);
    expect(events).toBeGreaterThan(20_000);
    expect(events).toBeLessThan(40_000);
    expect(trace.meta.lengthNs).toBeGreaterThan(12e9);
    expect(trace.meta.lengthNs).toBeLessThan(20e9);
  });

  test('is the same, byte by byte, however often it is made', () => {
    writeTraceFile(join(folder, 'again.db'), simulateDataloaderStarvation());
    const [first, again] = ['sample.db', 'again.db'].map((name) =>
      readFileSync(join(folder, name)),
    );
    expect(first?.equals(again ?? Buffer.alloc(0))).toBe(true);
  });

  test('has one task at a time on each CPU', () => {
    const byCpu = intervalsBy('on_cpu', 'cpu');
    expect([...byCpu.keys()].sort()).toEqual([0, 1, 2, 3]);
    for (const slices of byCpu.values())
      slices.sort(byStart).reduce((before, slice) => {
        expect(slice.startNs).toBeGreaterThanOrEqual(before.endNs);
        return slice;
      });
  });

  test('has every thread either on or off a CPU from birth to death', () => {
    const on = intervalsBy('on_cpu', 'thread');
    const off = intervalsBy('off_cpu', 'thread');
    expect(trace.threads).toHaveLength(12);
    trace.threads.forEach(({ startNs = 0, endNs = trace.meta.lengthNs }, thread) => {
      let reached = startNs;
      for (const part of [...(on.get(thread) ?? []), ...(off.get(thread) ?? [])].sort(byStart)) {
        expect(part.startNs).toBe(reached);
        reached = part.endNs;
      }
      expect(reached).toBe(endNs);
    });
  });

  test('accounts for every call: off-CPU time inside it is what off_cpu says', () => {
    const off = intervalsBy('off_cpu', 'thread');
    const { startNs, durationNs, thread, offCpuNs, runQueueNs } = trace.tables.cuda_call.columns;
    startNs.forEach((start, row) => {
      const end = start + (durationNs[row] ?? 0);
      const inside = (off.get(thread[row] ?? -1) ?? []).reduce(
        (sum, span) => sum + Math.max(0, Math.min(span.endNs, end) - Math.max(span.startNs, start)),
        0,
      );
      expect(offCpuNs?.[row]).toBe(inside);
      expect(runQueueNs?.[row]).toBeLessThanOrEqual(inside);
    });
  });

  test('nests driver calls in runtime calls of the same thread', () => {
    const { startNs, durationNs, thread, layer, parent } = trace.tables.cuda_call.columns;
    startNs.forEach((start, row) => {
      const outer = parent?.[row] ?? -1;
      expect(outer === -1).toBe(layer[row] === 1);
      if (outer === -1) return;
      expect(thread[outer]).toBe(thread[row]);
      expect(startNs[outer]).toBeLessThanOrEqual(start);
      expect((startNs[outer] ?? 0) + (durationNs[outer] ?? 0)).toBeGreaterThanOrEqual(
        start + (durationNs[row] ?? 0),
      );
    });
  });

  test('tells its story: the slowest copy mostly waited for a CPU', () => {
    const { durationNs, offCpuNs, runQueueNs, direction, layer } = trace.tables.cuda_call.columns;
    const copies = [...(direction?.keys() ?? [])]
      .filter((row) => direction?.[row] === 1 && layer[row] === 1)
      .sort((left, right) => (durationNs[right] ?? 0) - (durationNs[left] ?? 0));
    const slowest = copies[0] ?? -1;
    const median = copies[copies.length >> 1] ?? -1;
    expect(copies).toHaveLength(192);
    expect((runQueueNs?.[slowest] ?? 0) / (durationNs[slowest] ?? 1)).toBeGreaterThan(0.6);
    expect(runQueueNs?.[slowest]).toBe(offCpuNs?.[slowest]);
    expect((durationNs[slowest] ?? 0) / (durationNs[median] ?? 1)).toBeGreaterThan(3);
  });

  test('keeps what it lost in one gap', () => {
    const { startNs, durationNs, lost, op } = trace.tables.gap.columns;
    expect(trace.tables.gap.rows).toBe(1);
    expect(trace.names[op[0] ?? -1]).toBe('cpu_sample');
    expect(lost[0]).toBeGreaterThan(10);
    const end = (startNs[0] ?? 0) + (durationNs[0] ?? 0);
    const inGap = trace.tables.cpu_sample.columns.startNs.filter(
      (at) => at >= (startNs[0] ?? 0) && at < end,
    );
    expect(inGap).toHaveLength(0);
  });
});
