import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import type { Asked } from '../../questions/question.ts';
import { shareTrace } from '../../trace/build/share-trace.ts';
import { StatementReader } from '../../trace/statements/statement-reader.ts';
import { type AnswerThreads, createAnswerThreads } from './answer-threads.ts';
import { askedAbout } from './asked-about.ts';
import { StatementFile, type WrittenTables } from './statement-file.ts';
import { summarise } from './summarise.ts';

const never = new AbortController().signal;
let scratch: string;
let threads: AnswerThreads;
let file: StatementFile;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'stalltrace-statement-file-'));
  threads = createAnswerThreads();
  file = new StatementFile(() => scratch, threads);
});
afterEach(() => {
  threads.forget();
  rmSync(scratch, { recursive: true, force: true });
});

function askedOf(batches: number): Asked {
  const trace = shareTrace(loaderTrace({ batches, batchNs: 1_000_000 }));
  return askedAbout(trace, summarise(trace));
}

/** How many rows of `off_cpu` are in the file. */
function countIn({ path }: WrittenTables): unknown {
  const reader = new StatementReader(path, 'SELECT count(*) FROM off_cpu');
  const prepared = reader.prepare([]);
  const rows = reader.next(1);
  reader.close();
  return prepared.ok && rows.ok ? rows.value.rows[0]?.[0] : undefined;
}

async function written(
  asked: Asked,
  isLarge: boolean,
  tables: Parameters<StatementFile['with']>[1] = ['off_cpu'],
): Promise<WrittenTables> {
  const result = await file.with(asked, tables, isLarge, never);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

test.each([true, false])(
  'a table is written when it is asked for, and once (large: %s)',
  async (isLarge) => {
    const asked = askedOf(10);
    const rows = asked.trace.tables.off_cpu.rows;
    const empty = await written(asked, isLarge, []);
    expect(empty.written).toEqual([]);
    expect(countIn(empty)).toBe(0);
    const filled = await written(asked, isLarge);
    expect(filled).toEqual({ ...empty, written: ['off_cpu'] });
    expect(countIn(filled)).toBe(rows);
    expect(await written(asked, isLarge)).toEqual(filled);
    expect(countIn(filled)).toBe(rows);
  },
);

test('after one that was cancelled the tables are written anew', async () => {
  const asked = askedOf(200);
  const first = await written(asked, true, []);
  const stop = new AbortController();
  const cancelled = file.with(asked, ['off_cpu', 'on_cpu'], true, stop.signal);
  stop.abort();
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  const again = await written(asked, true);
  expect(again.path).not.toBe(first.path);
  expect(again.written).toEqual(['off_cpu']);
  expect(countIn(again)).toBe(asked.trace.tables.off_cpu.rows);
});

test('who asks right after one was cancelled has a file that is there', async () => {
  const asked = askedOf(200);
  await written(asked, true, []);
  const stop = new AbortController();
  const cancelled = file.with(asked, ['off_cpu'], true, stop.signal);
  stop.abort();
  const next = await written(asked, true, []);
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(existsSync(next.path)).toBe(true);
  expect(countIn(await written(asked, true))).toBe(asked.trace.tables.off_cpu.rows);
});

test('after one that failed unexpectedly they are written anew', async () => {
  const asked = askedOf(10);
  const first = await written(asked, false, []);
  writeFileSync(first.path, 'no database'.repeat(1000));
  await expect(written(asked, false)).rejects.toThrow();
  expect(countIn(await written(asked, false))).toBe(asked.trace.tables.off_cpu.rows);
});

test('who waits while the trace changes is told so, and writes nothing', async () => {
  const asked = askedOf(200);
  const first = file.with(asked, ['off_cpu'], true, never);
  const waits = file.with(asked, ['on_cpu'], true, never);
  file = file.another();
  threads.forget();
  const failures = await Promise.all([first, waits]);
  for (const failure of failures)
    expect(failure).toMatchObject({ error: { message: expect.stringMatching(/has changed/) } });
  const anew = askedOf(20);
  expect(countIn(await written(anew, true))).toBe(anew.trace.tables.off_cpu.rows);
});

test('a trace that has changed has a file of its own, and the one before is gone', async () => {
  const before = await written(askedOf(10), false);
  file = file.another();
  const asked = askedOf(20);
  const after = await written(asked, false);
  expect(countIn(after)).toBe(asked.trace.tables.off_cpu.rows);
  expect(existsSync(before.path)).toBe(false);
});
