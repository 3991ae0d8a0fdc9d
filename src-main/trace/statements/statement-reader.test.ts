import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { StatementReader } from './statement-reader.ts';
import { views } from './views.ts';
import { absentColumns, writeTables } from './write-tables.ts';

const row = { startNs: 1_000_000, durationNs: 2_500_000, thread: 0, op: 0, layer: 1 };
const trace = buildTrace({
  names: [['CUDA', 'cudaMemcpyAsync']],
  rows: { cuda_call: [row, { ...row, startNs: 9_000_000 }] },
});
let folder: string;
let path: string;
let written: Set<TableName>;
let reader: StatementReader | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-statements-'));
  path = join(folder, 'scratch', 'statements.db');
  written = new Set();
  writeTables(trace, { path, isNew: true, tables: [] });
});
afterEach(() => {
  reader?.close();
  reader = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** As the processes do it: tables are filled between its preparation and its first row. */
function start(statement: string) {
  reader?.close();
  reader = new StatementReader(path, statement);
  const prepared = reader.prepare(absentColumns(trace));
  if (!prepared.ok) return prepared;
  const tables = prepared.value.tables.filter((table) => !written.has(table));
  writeTables(trace, { path, isNew: false, tables });
  for (const table of tables) written.add(table);
  return prepared;
}

const next = (rows: number) => reader?.next(rows);

function rowsOf(statement: string) {
  const started = start(statement);
  return started.ok ? next(1000) : started;
}

test('a view names what its table has as numbers, and times in ms', () => {
  const rows = rowsOf('SELECT call_id, call, start_ms, duration_ms FROM calls ORDER BY call_id');
  const call = 'cudaMemcpyAsync';
  expect(rows).toEqual({
    ok: true,
    value: {
      rows: [
        [0, call, 1, 2.5],
        [1, call, 9, 2.5],
      ],
      done: true,
    },
  });
});

test.each(views.map(({ name }) => name))('the view %s can be read', (name) => {
  expect(rowsOf(`SELECT * FROM ${name}`)).toMatchObject({ ok: true });
});

test('rows come in parts, and a statement ends the one before', () => {
  expect(start('SELECT call_id FROM cuda_call')).toMatchObject({ ok: true });
  expect(next(1)).toEqual({ ok: true, value: { rows: [[0]], done: false } });
  expect(rowsOf('SELECT 7')).toEqual({ ok: true, value: { rows: [[7]], done: true } });
});

test('a column of a table is known as that, through a view and a WITH too', () => {
  const statement =
    'WITH c AS (SELECT call_id, start_ms, call FROM calls) SELECT call_id, start_ms, call FROM c';
  expect(start(statement)).toMatchObject({
    value: { origins: ['cuda_call.call_id', null, 'name.text'] },
  });
});

test('what nobody recorded is NULL, and said', () => {
  const started = start('SELECT off_cpu_ns FROM cuda_call');
  expect(started).toMatchObject({ value: { notRecorded: ['cuda_call.off_cpu_ns'] } });
  expect(next(1)).toMatchObject({ value: { rows: [[null]] } });
});

test('an integer beyond 2^53 keeps its digits, a blob its bytes', () => {
  expect(rowsOf("SELECT 9007199254740993, x'00ff'")).toMatchObject({
    value: { rows: [['9007199254740993', "x'00ff'"]] },
  });
});

test('rows of a WITH, a subquery and JSON can be counted', () => {
  const numbers = 'WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 5)';
  expect(rowsOf(`${numbers} SELECT count(*) FROM n`)).toMatchObject({ value: { rows: [[5]] } });
  expect(rowsOf("SELECT value FROM json_each('[7]')")).toMatchObject({ value: { rows: [[7]] } });
});

test.each([
  'SELECT count(*) FROM pragma_database_list',
  'SELECT count(*) FROM sqlite_dbpage',
  'DELETE FROM cuda_call',
  'CREATE TABLE t(a)',
  'DROP TABLE name',
  "ATTACH 'other.db' AS o",
  'PRAGMA user_version = 5',
  "SELECT load_extension('x')",
  "SELECT * FROM pragma_table_info('name')",
  "UPDATE name SET text = ''",
  'BEGIN',
])('%s is refused', (statement) => {
  expect(rowsOf(statement)).toMatchObject({ ok: false, error: { code: 'statement-wrong' } });
});

test.each([
  ['SELECT *\nFORM calls', 'line 2, column 1'],
  ['SELECT foo, call FROM calls', 'line 1, column 8'],
  ['SELECT * FROM nothing', 'line 1, column 15'],
])('%s: the sentence says where', (statement, place) => {
  expect(rowsOf(statement)).toMatchObject({
    error: { code: 'statement-wrong', message: expect.stringContaining(place) },
  });
});

test.each(['', '  -- nothing', 'SELECT 1; SELECT 2'])('“%s” is not one statement', (statement) => {
  expect(rowsOf(statement)).toMatchObject({ ok: false, error: { code: 'statement-wrong' } });
});

test('what takes too much memory ends as that', () => {
  const endless =
    'WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 2000) SELECT group_concat(hex(zeroblob(8000000)), a) FROM n';
  expect(rowsOf(endless)).toMatchObject({ error: { code: 'statement-too-large' } });
  expect(rowsOf('SELECT 1')).toMatchObject({ ok: true });
});
