import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../../../test/support/requirements.ts';
import { findNative } from '../../native/library.ts';
import { type NativeRows, openNativeRows } from '../../native/row-database.ts';
import { openChunkQuery } from './chunk-query.ts';
import { CHUNK_ROWS, createTask, READ_NATIVELY } from './chunk-task.ts';
import { databaseLimits, openGuarded } from './guard-database.ts';

/** What native code reads, cell for cell, against what JavaScript reads of the same file. */

/** Of two versions of SQLite: what they disagree in is looked for in a soak, not by chance. */
const SEED = 20_261_128;
const isSoak = process.env.STALLTRACE_SOAK !== undefined;

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chunk-query-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const freshPath = () => join(folder, `${++files}.db`);

function makeFile(sql: string): string {
  const path = freshPath();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

function open(path: string): NativeRows {
  const native = openNativeRows(path, databaseLimits);
  if (native === undefined) throw new Error('native code does not open it');
  return native;
}

const columns = ['rowid', 'a', 'b', 'c'];

/** The bits of each column's cells. */
function bitsOf(cells: Float64Array, rows: number): string[] {
  return columns.map((_, at) => {
    const column = cells.slice(at * CHUNK_ROWS, at * CHUNK_ROWS + rows);
    return Buffer.from(column.buffer).toString('hex');
  });
}

const roomForChunk = () => new Float64Array(columns.length * CHUNK_ROWS);

/** The first chunk as JavaScript reads it, or what it throws. */
function read(path: string, belowFirst: number): string[] | string {
  const task = createTask({ table: 'events', columns, belowFirst, chunks: 1 });
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  const cells = roomForChunk();
  try {
    const database = openGuarded(url);
    const rows = openChunkQuery(database, undefined, task).read(0, cells);
    database.close();
    return bitsOf(cells, rows);
  } catch (thrown) {
    return String(thrown);
  }
}

/** As native code reads it; `undefined` where it leaves that to JavaScript, or the guard forbids it. */
function readNatively(path: string, belowFirst: number): string[] | undefined {
  const native = openNativeRows(path, databaseLimits);
  const task = createTask({ table: 'events', columns, belowFirst, chunks: 1 });
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  const cells = roomForChunk();
  let database: DatabaseSync | undefined;
  try {
    database = openGuarded(url);
    const query = openChunkQuery(database, native, task);
    const rows = query.read(0, cells);
    query.close();
    return Atomics.load(task.control, READ_NATIVELY) === 1 ? bitsOf(cells, rows) : undefined;
  } catch (thrown) {
    // What SQLite says, in JavaScript; native code throws nothing.
    if (!(thrown instanceof Error && 'errcode' in thrown)) throw thrown;
    return undefined;
  } finally {
    database?.close();
    native?.close();
  }
}

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: 0n, max: 300n }),
);
const cell = fc.oneof(
  fc.constant(null),
  integers,
  fc.double(),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0),
  fc.string(),
  fc.constantFrom('12', ' 7', '1e3', '\0'),
  fc.uint8Array({ maxLength: 20 }),
);
const affinity = fc.constantFrom('', 'INTEGER', 'REAL', 'TEXT', 'NUMERIC', 'BLOB');

describeWith(['nativeCode'], 'the native library', () => {
  test('is loaded by this system, with a SQLite of its own', () => {
    const state = findNative();
    expect(state).toMatchObject({ library: { sqlite: expect.stringMatching(/^3\.\d+\.\d+$/) } });
  });
});

describeWith(['nativeCode'], 'native code', () => {
  test('reads whatever a column may hold as JavaScript does', () => {
    fc.assert(
      fc.property(
        fc.tuple(affinity, affinity, affinity),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), cell, cell, cell), { maxLength: 60 }),
        fc.constantFrom(0, 1, 1000, 2 ** 53 - 2 * CHUNK_ROWS),
        fc.constantFrom('UTF-8', 'UTF-16le'),
        (affinities, rows, first, encoding) => {
          const path = freshPath();
          const database = new DatabaseSync(path);
          database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA encoding = '${encoding}';
            CREATE TABLE events (a ${affinities[0]}, b ${affinities[1]}, c ${affinities[2]}); BEGIN`);
          const insert = database.prepare(
            'INSERT INTO events (rowid, a, b, c) VALUES (?, ?, ?, ?)',
          );
          let rowid = first;
          for (const [step, ...cells] of rows) {
            rowid += step;
            insert.run(rowid, ...cells);
          }
          database.exec('COMMIT');
          database.close();
          expect(readNatively(path, first)).toEqual(read(path, first));
          rmSync(path);
        },
      ),
      isSoak ? { numRuns: 2_000 } : { numRuns: 100, seed: SEED },
    );
  });

  test('reads what JavaScript reads of a damaged file, or leaves it to that', () => {
    const whole = readFileSync(
      makeFile(`PRAGMA page_size = 512; CREATE TABLE events (a, b INTEGER, c REAL);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 90)
        INSERT INTO events SELECT i * i * i, CASE i % 4 WHEN 0 THEN 'text' ELSE i END, i / 7.0 FROM n;`),
    );
    let readByBoth = 0;
    const byte = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        const path = freshPath();
        writeFileSync(path, bytes);
        const natively = readNatively(path, 0);
        if (natively !== undefined) expect(natively).toEqual(read(path, 0));
        if (natively !== undefined) readByBoth++;
        rmSync(path);
      }),
      isSoak ? { numRuns: 20_000 } : { numRuns: 300, seed: SEED },
    );
    expect(readByBoth).toBeGreaterThan(30);
  });

  test('reads no table that the guard does not know as a plain one', () => {
    const path = makeFile('CREATE TABLE events (a, b, c); INSERT INTO events VALUES (1, 2, 3)');
    expect(readNatively(path, 0)).toBeDefined();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('CREATE TABLE events') + 'CREATE TABLE'.length] = 9;
    writeFileSync(path, bytes);
    expect(readNatively(path, 0)).toBeUndefined();
    expect(read(path, 0)).toContain('prohibited');
  });

  test('reads no rows of an empty table, and a full chunk', () => {
    const empty = makeFile('CREATE TABLE events (a, b, c)');
    expect(readNatively(empty, 0)).toEqual(['', '', '', '']);
    const full = makeFile(`CREATE TABLE events (a, b, c);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${CHUNK_ROWS + 5})
      INSERT INTO events SELECT i, i, i FROM n;`);
    const natively = readNatively(full, 0);
    expect(natively).toEqual(read(full, 0));
    expect(natively?.[0]).toHaveLength(CHUNK_ROWS * 16);
  });
});

/** Each is refused, whatever stands in the file: nothing but plain columns of the one table is read. */
const refused: Readonly<Record<string, readonly [schema: string, sql: string]>> = {
  'another table': ['CREATE TABLE other (a)', 'SELECT a FROM other WHERE rowid > ? AND rowid <= ?'],
  'the schema': ['', 'SELECT rootpage FROM sqlite_schema WHERE rowid > ? AND rowid <= ?'],
  'a view': [
    'DROP TABLE events; CREATE TABLE t (a); CREATE VIEW events AS SELECT a, 1 AS id FROM t',
    'SELECT a FROM events WHERE id > ? AND id <= ?',
  ],
  'a function': ['', 'SELECT abs(a) FROM events WHERE rowid > ? AND rowid <= ?'],
  'a generated column that calls a function': [
    'DROP TABLE events; CREATE TABLE events (b, a AS (zeroblob(1000000000)))',
    'SELECT a FROM events WHERE rowid > ? AND rowid <= ?',
  ],
  'a virtual table': [
    'DROP TABLE events; CREATE VIRTUAL TABLE events USING fts5(a)',
    'SELECT a FROM events WHERE rowid > ? AND rowid <= ?',
  ],
  'a pragma': ['', 'PRAGMA user_version'],
  'what writes': ['', 'DELETE FROM events WHERE rowid > ? AND rowid <= ?'],
  'two statements': ['', 'SELECT a FROM events WHERE rowid > ? AND rowid <= ?; SELECT 1'],
  'other parameters': ['', 'SELECT a FROM events WHERE rowid > ?'],
  'what is no SQL': ['', 'SELECT'],
};

describeWith(['nativeCode'], 'native code refuses', () => {
  test.each(Object.entries(refused))('%s', (_what, [schema, sql]) => {
    const native = open(makeFile(`CREATE TABLE events (a); ${schema}`));
    expect(native.query('events', sql, 1, 10)).toBeUndefined();
    native.close();
  });

  test('a value that is larger than any trace has', () => {
    const native = open(
      makeFile('CREATE TABLE events (a); INSERT INTO events VALUES (zeroblob(70000000))'),
    );
    const sql = 'SELECT a FROM events WHERE rowid > ? AND rowid <= ?';
    expect(native.query('events', sql, 1, 10)?.read(0, 10, new Float64Array(10))).toBeUndefined();
    native.close();
  });

  test('a file that is none, and more rows or columns than there is room for', () => {
    const text = freshPath();
    writeFileSync(text, 'no database at all, however long it may be'.repeat(100));
    const sql = 'SELECT a FROM events WHERE rowid > ? AND rowid <= ?';
    expect(openNativeRows(text, databaseLimits)?.query('events', sql, 1, 10)).toBeUndefined();
    expect(openNativeRows(join(folder, 'nowhere.db'), databaseLimits)).toBeUndefined();
    const native = open(
      makeFile('CREATE TABLE events (a); INSERT INTO events VALUES (1), (2), (3)'),
    );
    const cells = new Float64Array(10);
    expect(native.query('events', sql, 1, 2)?.read(0, 10, cells)).toBeUndefined();
    expect(native.query('events', sql, 2, 3)?.read(0, 10, cells)).toBeUndefined();
    expect(native.query('events', sql, 1, 3)?.read(0, 10, cells)).toBe(3);
    native.close();
  });

  test('to write beyond an array, or into one of other numbers', () => {
    const native = open(makeFile('CREATE TABLE events (a)'));
    const query = native.query(
      'events',
      'SELECT a FROM events WHERE rowid > ? AND rowid <= ?',
      1,
      10,
    );
    expect(() => query?.read(0, 10, new Float64Array(9))).toThrow(RangeError);
    expect(() => query?.read(0, 10, new Float32Array(100) as never)).toThrow(RangeError);
    expect(() => query?.read(0, 2 ** 60, new Float64Array(10))).toThrow(RangeError);
    native.close();
    expect(() => query?.read(0, 10, new Float64Array(10))).toThrow('closed');
    // Twice is once.
    query?.close();
    native.close();
    expect(() => native.query('events', 'SELECT 1', 1, 10)).toThrow('closed');
  });

  test('rows of which more have a number than there are numbers, as JavaScript does', () => {
    const path = makeFile(`CREATE TABLE events (a, b, c);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <= ${CHUNK_ROWS})
      INSERT INTO events (rowid, a) SELECT i, i FROM n;`);
    const native = open(path);
    const sql = `SELECT a FROM events WHERE rowid > ? AND rowid <= ?`;
    const cells = new Float64Array(CHUNK_ROWS);
    const query = native.query('events', sql, 1, CHUNK_ROWS);
    expect(query?.read(0, CHUNK_ROWS + 1, cells)).toBeUndefined();
    native.close();
    const database = openGuarded(pathToFileURL(path));
    const task = createTask({ table: 'events', columns: ['a'], belowFirst: 0, chunks: 1 });
    // As of a damaged file, whose rows come again.
    const repeated = {
      ...task,
      table: '(SELECT rowid, a FROM events UNION ALL SELECT rowid, a FROM events)',
    };
    expect(() => openChunkQuery(database, undefined, repeated).read(0, cells)).toThrow(
      'rowids repeat',
    );
    database.close();
  });
});
