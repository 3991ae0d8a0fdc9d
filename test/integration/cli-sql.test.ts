import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statementExamples } from '../../src-main/shared/statements/examples.ts';
import { builtFile, root } from '../support/built.ts';
import { descendants, readProc } from '../support/processes.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
const ENDLESS =
  'WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT count(*) FROM n';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-sql-'));
});
afterEach(() => {
  // Nothing of a statement is left, however it ended.
  const scratch = join(folder, 'data', 'scratch');
  expect(existsSync(scratch) ? readdirSync(scratch) : []).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

const sql = (...args: string[]) =>
  runCli(['sql', sample, ...args], folder, { STALLTRACE_DATA_DIR: join(folder, 'data') });

const examples = readFileSync(join(root, 'docs/sql.md'), 'utf8')
  .split('```sql\n')
  .slice(1)
  .map((part) => part.split('```')[0] ?? '');

test.each(examples)('an example of docs/sql.md has an answer: %s', (statement) => {
  const { code, stdout, stderr } = sql(statement, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { columns, rows } = JSON.parse(stdout) as { columns: string[]; rows: unknown[][] };
  expect(rows.length).toBeGreaterThan(0);
  expect(rows[0]).toHaveLength(columns.length);
});

test('they are those of the SQL tab', () => {
  expect(examples.map((text) => text.trimEnd())).toEqual(
    statementExamples.map(({ text }) => `${text};`),
  );
});

describeWith(['linux'], 'a statement ends', () => {
  test('with whoever started it, also one that was killed', async () => {
    const args = [builtFile('main/cli.js'), 'sql', sample, ENDLESS, '--time-limit', '10min'];
    const data = { STALLTRACE_DATA_DIR: mkdtempSync(join(folder, 'killed-')) };
    const cli = spawn(process.execPath, args, {
      stdio: 'ignore',
      env: { ...process.env, ...data },
    });
    const running = () =>
      descendants(cli.pid ?? 0).filter((pid) =>
        readProc(`${pid}/cmdline`).includes('statement-process'),
      );
    await expect.poll(running).toHaveLength(1);
    const [pid] = running();
    cli.kill('SIGKILL');
    await expect.poll(() => readProc(`${pid}/cmdline`)).toBe('');
  });
});

test('all rows come as CSV, and 1,000 as a table', () => {
  const csv = sql('SELECT start_ns, thread FROM waits', '--csv');
  const count = JSON.parse(sql('SELECT count(*) FROM off_cpu', '--json').stdout) as {
    rows: number[][];
  };
  const lines = csv.stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('start_ns,thread');
  expect(lines).toHaveLength(Number(count.rows[0]?.[0]) + 1);
  const table = sql('SELECT start_ns FROM waits');
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(1001);
  expect(table.stderr).toContain('first 1000 rows');
});

test('a statement without an end is ended', () => {
  const beganMs = performance.now();
  const { code, stderr } = sql(ENDLESS, '--time-limit', '1s');
  expect(code).toBe(1);
  expect(stderr).toMatch(/took longer than 1(\.0+)? s and was ended/);
  // Far less than it would ever take.
  expect(performance.now() - beganMs).toBeLessThan(60_000);
});

test('so is one that cannot even be prepared in time', () => {
  const withs = Array.from(
    { length: 40 },
    (_, at) => `w${at + 1} AS (SELECT a.x FROM w${at} a, w${at} b)`,
  );
  const nested = `WITH w0 AS (SELECT 1 AS x), ${withs.join(', ')} SELECT count(*) FROM w40`;
  const { code, stderr } = sql(nested, '--time-limit', '1s');
  expect(code).toBe(1);
  expect(stderr).toMatch(/took longer|needs more memory|statement is wrong/);
});

test('a wrong one says where, to a script too', () => {
  const { code, stdout, stderr } = sql('SELECT nowhere FROM calls', '--json');
  expect(code).toBe(1);
  expect(stderr).toBe(
    'stalltrace: The statement is wrong at line 1, column 8: no such column: nowhere.\n',
  );
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'statement-wrong' } });
});

describe('as Parquet', () => {
  const statement = 'SELECT start_ns, duration_ns, call, run_queue_ms FROM calls ORDER BY start_ns';
  const rowsOf = (text: string) => (JSON.parse(text) as { rows: unknown[][] }).rows;

  test('an answer has the rows that it has as JSON, for DuckDB over a folder of files', async () => {
    const runs = ['first', 'second'].map((name) => join(folder, `${name}.parquet`));
    for (const output of runs)
      expect(sql(statement, '--parquet', output)).toEqual({ code: 0, stdout: '', stderr: '' });
    const expected = rowsOf(sql(statement, '--json').stdout);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const all = async (text: string) => {
      const answer = await connection.runAndReadAll(text);
      return answer
        .getRows()
        .map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)));
    };
    expect(await all(`SELECT * FROM '${runs[0]}' ORDER BY start_ns`)).toEqual(expected);
    const [both = []] = await all(
      `SELECT count(*), count(DISTINCT filename) FROM read_parquet('${folder}/*.parquet', filename = true)`,
    );
    expect(both).toEqual([2 * expected.length, 2]);
    // As docs/sql.md has it, over files whose columns are of two kinds: nothing of either is lost.
    const manual = readFileSync(join(root, 'docs/sql.md'), 'utf8');
    const [, query = ''] = /duckdb -c "([^"]+)"/.exec(manual) ?? [];
    const calls = join(folder, 'calls');
    mkdirSync(calls);
    const durations = { whole: 'CAST(duration_ms AS INTEGER)', halves: 'round(duration_ms) + 0.5' };
    for (const [name, duration] of Object.entries(durations)) {
      const text = `SELECT direction, ${duration} AS duration_ms FROM calls`;
      expect(sql(text, '--parquet', join(calls, `${name}.parquet`)).code).toBe(0);
    }
    const copies = await all(query.replaceAll('calls/*.parquet', `${calls}/*.parquet`));
    expect(copies.map(([run]) => run).sort()).toEqual(['halves', 'whole']);
    for (const [run, count, longestMs] of copies) {
      expect(count).toBeGreaterThan(0);
      expect(Number(longestMs) % 1).toBe(run === 'halves' ? 0.5 : 0);
    }
    connection.closeSync();
    instance.closeSync();
  });

  test('a file that is there is kept unless --force is given, and none is left of a statement that fails', () => {
    const output = join(folder, 'kept.parquet');
    writeFileSync(output, 'mine');
    const refused = sql(statement, '--parquet', output);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
    expect(readFileSync(output, 'utf8')).toBe('mine');
    expect(sql(statement, '--parquet', output, '--force').code).toBe(0);
    expect(readFileSync(output).subarray(0, 4).toString()).toBe('PAR1');
    const wrong = join(folder, 'wrong.parquet');
    expect(sql('SELECT nothing FROM calls', '--parquet', wrong).code).toBe(1);
    expect(sql(statement, '--parquet', sample, '--force').code).toBe(1);
    expect(readdirSync(folder).filter((name) => /parquet|part/.test(name))).toEqual([
      'kept.parquet',
    ]);
  });

  test('says what goes together', () => {
    for (const args of [['--json', '--parquet', 'x'], ['--parquet', '-'], ['--force']])
      expect(sql(statement, ...args).code).toBe(2);
  });
});
