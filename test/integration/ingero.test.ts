import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { directions } from '../../src-main/shared/model/codes.ts';
import type { Columns, NumberArray } from '../../src-main/shared/model/columns.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function imported(path: string): Trace {
  const scratchDir = join(folder, 'scratch');
  const result = openTrace(path, { scratchDir, importers, progress() {} });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

interface Expected {
  readonly events: readonly [source: string, op: string, rows: number, totalNs: number][];
}

function expectedOf(file: string): Expected {
  const all: unknown = JSON.parse(readFileSync(join(sharedData, 'EXPECTED.json'), 'utf8'));
  return (all as Record<string, Expected>)[file] as Expected;
}

/** Rows and total time by source and operation, from the raw rows of every table. */
function countOperations(trace: Trace): Map<string, [rows: number, totalNs: number]> {
  const counted = new Map<string, [number, number]>();
  const add = (key: string, durationNs: number) => {
    const [rows, totalNs] = counted.get(key) ?? [0, 0];
    counted.set(key, [rows + 1, totalNs + durationNs]);
  };
  for (const name of ['cuda_call', 'block_io', 'syscall', 'process_event', 'range'] as const) {
    const columns = trace.tables[name].columns;
    const durations = 'durationNs' in columns ? columns.durationNs : undefined;
    columns.op.forEach((op, row) => {
      add(`${trace.nameSources[op]} ${trace.names[op]}`, durations?.[row] ?? 0);
    });
  }
  for (const name of ['off_cpu', 'wakeup', 'page_alloc'] as const) {
    const { columns, recordedAs } = trace.tables[name];
    const durations = 'durationNs' in columns ? columns.durationNs : undefined;
    columns.startNs.forEach((_, row) => {
      add(`${recordedAs.source} ${recordedAs.op}`, durations?.[row] ?? 0);
    });
  }
  return counted;
}

describeWith(['sharedData'], 'published Ingero files', () => {
  const files = ['dataloader_starvation.db', 'empty_cache.db'];
  const pathOf = (file: string) => join(sharedData, 'ingero', file);

  test.each(files)('%s: rows and times agree with independent figures', (file) => {
    const counted = countOperations(imported(pathOf(file)));
    const expected = expectedOf(`ingero/${file}`).events;
    expect(Object.fromEntries(counted)).toEqual(
      Object.fromEntries(expected.map(([source, op, rows, ns]) => [`${source} ${op}`, [rows, ns]])),
    );
  });

  test.each(files)('%s: no event, sample or driver call begins before its frame', (file) => {
    const { tables } = imported(pathOf(file));
    for (const { columns } of [tables.cuda_call, tables.off_cpu, tables.sample, tables.syscall]) {
      const starts = [...columns.startNs];
      expect(starts.every((startNs) => startNs >= 0)).toBe(true);
      expect(starts.toSorted((a, b) => a - b)).toEqual(starts);
    }
    expectNested(tables.cuda_call.columns);
  });

  test.each(files)('%s: the original and its folder stay as they are', (file) => {
    const copies = join(folder, `copy of ${file}`);
    cpSync(pathOf(file), join(copies, file));
    const bytes = readFileSync(join(copies, file));
    const { mtimeNs } = statSync(join(copies, file), { bigint: true });
    imported(join(copies, file));
    expect(readdirSync(copies)).toEqual([file]);
    expect(readFileSync(join(copies, file)).equals(bytes)).toBe(true);
    expect(statSync(join(copies, file), { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  test.each(files)('%s: sums agree with the file’s own', (file) => {
    const { columns } = imported(pathOf(file)).tables.aggregate;
    const database = new DatabaseSync(`file:${pathOf(file)}?immutable=1`, { readOnly: true });
    const own = database
      .prepare('SELECT sum(count) AS n, sum(sum_dur) AS ns FROM event_aggregates')
      .get();
    database.close();
    const sum = (column: NumberArray | undefined) =>
      column && Array.from(column).reduce((a, b) => a + b, 0);
    expect([sum(columns.count), sum(columns.totalNs)]).toEqual([own?.n, own?.ns]);
  });

  test('written as a trace of ours it is as long as it was', () => {
    const trace = imported(pathOf('dataloader_starvation.db'));
    const { startNs, durationNs } = trace.tables.aggregate.columns;
    const bucketEnds = Array.from(startNs, (ns, row) => ns + (durationNs[row] ?? 0));
    // Else there would be nothing to get wrong: its last minute of sums goes on after it.
    expect(Math.max(...bucketEnds)).toBeGreaterThan(trace.meta.lengthNs);
    const path = join(folder, 'written.trace.db');
    expect(writeTraceFile(path, trace).ok).toBe(true);
    expect(imported(path).meta.lengthNs).toBe(Math.ceil(trace.meta.lengthNs));
  });

  test('the published investigation: copies, processes, threads, findings', () => {
    const trace = imported(pathOf('dataloader_starvation.db'));
    expectCopies(trace);
    const processPids = trace.processes.map(({ pid }) => pid);
    expect(processPids).toEqual(expect.arrayContaining([2233, 2254, 2255, 2256, 2257]));
    for (const pid of [2254, 2255, 2256, 2257]) {
      const process = trace.processes.find((entry) => entry.pid === pid);
      expect(trace.processes[process?.parent ?? -1]?.pid).toBe(2233);
      expect(process?.startNs).toBeGreaterThan(62.8e9);
      expect(process?.startNs).toBeLessThan(63.08e9);
    }
    const processOf = (tid: number) =>
      trace.processes[trace.threads.find((thread) => thread.tid === tid)?.process ?? -1]?.pid;
    expect([2237, 2238, 2239, 2258, 2259, 2260, 2262].map(processOf)).toEqual(Array(7).fill(2233));
    expect(trace.threads.find(({ tid }) => tid === 2258)?.name).toBe('pt_data_pin');
    expect(trace.sourceFindings).toHaveLength(3);
    expect(trace.sourceFindings.flatMap(({ occurrences }) => occurrences)).toHaveLength(316);
    expect(trace.tables.off_cpu.provenance.note).toContain('TID 2233 3,676 of 3,713');
  });
});

function expectCopies({ tables, names }: Trace): void {
  const { op, direction, durationNs, bytes } = tables.cuda_call.columns;
  const copies = [...op.keys()].filter((row) => names[op[row] ?? -1] === 'cudaMemcpyAsync');
  expect(copies).toHaveLength(14);
  expect(Math.max(...copies.map((row) => durationNs[row] ?? 0))).toBe(65_000_369);
  expect(copies.reduce((sum, row) => sum + (bytes?.[row] ?? 0), 0)).toBe(3_220_708_392);
  expect(new Set(copies.map((row) => directions[direction?.[row] ?? 0]))).toEqual(new Set(['H2D']));
}

function expectNested(columns: Columns<'cuda_call'>): void {
  const { startNs, durationNs, thread, layer, parent } = columns;
  const endOf = (row: number) => (startNs[row] ?? 0) + (durationNs[row] ?? 0);
  let nested = 0;
  for (const [row, outer] of [...(parent ?? [])].entries()) {
    if (outer < 0) continue;
    nested++;
    expect([layer[row], layer[outer], thread[outer]]).toEqual([2, 1, thread[row]]);
    expect(startNs[outer]).toBeLessThanOrEqual(startNs[row] ?? 0);
    expect(endOf(outer)).toBeGreaterThanOrEqual(endOf(row));
  }
  expect(nested).toBeGreaterThan(0);
}
