import { copyFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { generateTrace } from '../../../test/bench/traces/generate-trace.ts';
import { storedOperations } from '../../analysis/operations/operations.ts';
import { GpuJob, gpuTrace, MS } from '../../analysis/testing/gpu-job.ts';
import type { FirstFigures } from '../../shared/answers/first-figures.ts';
import type { OperationStats } from '../../shared/answers/operations.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { writeTraceFile } from '../../trace/formats/stalltrace/writer.ts';
import { importers } from '../../trace/importers.ts';
import { openTrace } from '../../trace/open-trace.ts';
import type { ReadSoFar } from '../../trace/source/importer.ts';
import { damageFirstRow } from '../../trace/testing/damage-row.ts';
import { watchForFirstFigures } from './first-figures.ts';

/** Rows that an importer reads before it says how far it is. */
const PAGE_ROWS = 20_000;

let folder: string;
let large: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-figures-'));
  large = written('large.trace.db', generateTrace(150_000, 1));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, trace: Trace): string {
  const path = join(folder, name);
  expect(writeTraceFile(path, trace)).toMatchObject({ ok: true });
  return path;
}

function open(path: string, soFar: (read: ReadSoFar) => void) {
  return openTrace(path, { scratchDir: folder, importers, progress: () => undefined, soFar });
}

/** Opens the file; what is told whenever something was read. */
function openLooking(path: string) {
  const told: FirstFigures[] = [];
  let nowMs = 0;
  const watch = watchForFirstFigures(
    (figures) => told.push(figures),
    () => nowMs,
  );
  const opened = open(path, (read) => {
    nowMs += 1000;
    watch(read);
  });
  return { opened, told };
}

const readWell = (path: string) => {
  const { opened, told } = openLooking(path);
  if (!opened.ok) throw new Error(opened.error.message);
  return { trace: opened.value, told };
};

/** What first figures say of the operations of a trace that is read to its end. */
function atTheEnd(trace: Trace): OperationStats[] {
  return storedOperations(trace, { bySize: true }, ['cuda_call', 'gpu_work']).map(
    ({ slowestCall: _, recorded: __, recordedName: ___, direction, ...stats }) => ({
      ...stats,
      direction: direction === 'unknown' ? null : direction,
    }),
  );
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

test('tells what is read so far; once all calls are read, the same as at the end', () => {
  const { trace, told } = readWell(large);
  const { cuda_call: calls } = trace.tables;
  const [first] = told;
  const last = told.at(-1);
  expect(first.tables).toEqual([{ table: 'cuda_call', rows: PAGE_ROWS, isWhole: false }]);
  expect(sumOf(first.operations.map(({ count }) => count))).toBe(PAGE_ROWS);
  expect(last?.tables).toEqual([{ table: 'cuda_call', rows: calls.rows, isWhole: true }]);
  expect(last?.operations).toEqual(atTheEnd(trace));
  expect(last?.operationsLeftOut).toBe(0);
  // It is told once that they are whole, and nothing after.
  expect(told.filter(({ tables }) => tables.every(({ isWhole }) => isWhole))).toHaveLength(1);
  // The timeline is as long as the trace will be; what is not read yet is empty.
  expect(first.timeline.lengthNs).toBeLessThanOrEqual(trace.meta.lengthNs);
  const readShare = PAGE_ROWS / calls.rows;
  for (const { busyPercent } of first.timeline.lanes)
    expect(sumOf(busyPercent.slice(Math.ceil(busyPercent.length * (readShare + 0.1))))).toBe(0);
  expect(last?.timeline.lanes.length).toBeGreaterThan(0);
  // Nothing of it waits in a pipe until the import is over.
  for (const figures of told) expect(JSON.stringify(figures).length).toBeLessThan(60_000);
});

test('work of GPUs counts too, and a call says nothing that only the work will tell', () => {
  const job = new GpuJob();
  for (let step = 0; step < 3; step++) {
    job.copy();
    job.launch(3 * MS);
    job.item();
    job.step();
  }
  const path = written('gpu.trace.db', gpuTrace([job]));
  const { told, trace: read } = readWell(path);
  const last = told.at(-1);
  expect(last?.tables.map(({ table, isWhole }) => [table, isWhole])).toEqual([
    ['cuda_call', true],
    ['gpu_work', true],
  ]);
  expect(last?.operations).toEqual(atTheEnd(read));
  expect(new Set(last?.timeline.lanes.map(({ table }) => table))).toEqual(
    new Set(['cuda_call', 'gpu_work']),
  );
  expect(told[0].operations.every(({ direction }) => direction !== 'unknown')).toBe(true);
});

test('a table that is damaged late in the file is refused with the same words, whoever looked before', () => {
  const path = join(folder, 'damaged.trace.db');
  copyFileSync(large, path);
  damageFirstRow(path, 'cpu_sample');
  const { opened, told } = openLooking(path);
  expect(told.length).toBeGreaterThan(0);
  expect(opened).toMatchObject({ ok: false, error: { code: 'file-damaged' } });
  expect(opened).toEqual(open(path, () => undefined));
  const { opened: sound } = openLooking(large);
  expect(sound.ok).toBe(true);
});

test('nothing more is told of a file that is written to meanwhile', () => {
  const path = join(folder, 'changed.trace.db');
  copyFileSync(large, path);
  const looks = vi.fn(() => utimesSync(path, 1, 1));
  expect(open(path, looks)).toMatchObject({ ok: false, error: { code: 'file-busy' } });
  expect(looks).toHaveBeenCalledOnce();
});

/** Reading as a watch hears of it: so many calls, at these moments. */
function reading(moments: readonly (readonly [ms: number, rows: number, isWhole: boolean])[]) {
  let nowMs = 0;
  const tell = vi.fn((_figures: FirstFigures) => {
    nowMs += 50;
  });
  const watch = watchForFirstFigures(tell, () => nowMs);
  const trace = gpuTrace([new GpuJob()]);
  const toldAt: number[] = [];
  for (const [ms, rows, isWhole] of moments) {
    nowMs = ms;
    const before = tell.mock.calls.length;
    watch({ tables: () => [{ table: 'cuda_call', rows, isWhole }], trace: () => trace });
    if (tell.mock.calls.length > before) toldAt.push(ms);
  }
  return toldAt;
}

test('a short reading is not looked at; a long one rests from looks, and from the last', () => {
  const moments = (...all: number[]) => all.map((ms) => [ms, 1, false] as const);
  expect(reading(moments(100, 399))).toEqual([]);
  // A look took 50 ms, so that the next one has 400 ms of reading before it.
  expect(reading(moments(500, 900, 951, 1000))).toEqual([500, 951]);
  expect(reading([...moments(500), [2000, 2, true], [9000, 2, true]])).toEqual([500, 2000]);
  // Of a file without calls there is nothing to tell.
  expect(reading([[5000, 0, true]])).toEqual([]);
});
