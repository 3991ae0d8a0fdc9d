import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyTrace } from './copy-trace.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const rows = 2000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-trace-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function copy(name: string, onProgress: () => void = () => undefined) {
  return copyTrace(at(name), at('target.db'), {
    scratchDir: at('scratch'),
    progress: onProgress,
  });
}

/** A database of some pages; the recorder's connection, still open, where there is a log. */
function record(name: string, journal: 'wal' | 'delete'): DatabaseSync {
  const database = new DatabaseSync(at(name));
  database.exec(`PRAGMA journal_mode=${journal}; PRAGMA wal_autocheckpoint=0;
    CREATE TABLE t (x);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO t SELECT randomblob(500) FROM n`);
  return database;
}

function countRows(name: string): unknown {
  const database = new DatabaseSync(at(name), { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS n FROM t').get()?.n;
  } finally {
    database.close();
  }
}

/** Bytes 18 and 19 of the header: 1 = a rollback journal, 2 = WAL. */
const formatOf = (name: string) => [...readFileSync(at(name)).subarray(18, 20)];

test('copies the bytes and says what they are', () => {
  record('a.db', 'delete').close();
  const bytes = readFileSync(at('a.db'));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(copy('a.db')).toEqual({ ok: true, value: { sha256, sizeBytes: bytes.length } });
  expect(readFileSync(at('target.db')).equals(bytes)).toBe(true);
});

test('of a recording that still runs makes one whole file, and touches nothing of it', () => {
  const recorder = record('live.db', 'wal');
  const before = ['live.db', 'live.db-wal'].map((name) => readFileSync(at(name)));
  const copied = copy('live.db');
  expect(copied.ok).toBe(true);
  expect(['live.db', 'live.db-wal'].map((name) => readFileSync(at(name)))).toEqual(before);
  recorder.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('target'))).toEqual(['target.db']);
  expect(formatOf('target.db')).toEqual([1, 1]);
  expect(countRows('target.db')).toBe(rows);
  expect(readdirSync(at('scratch'))).toEqual([]);
  const again = createHash('sha256')
    .update(readFileSync(at('target.db')))
    .digest('hex');
  expect(copied).toMatchObject({ value: { sha256: again } });
});

test('rolls back what a killed writer left half done', () => {
  record('whole.db', 'delete').close();
  const writer = new DatabaseSync(at('whole.db'));
  writer.exec('PRAGMA cache_size=2; BEGIN; DELETE FROM t WHERE rowid % 2 = 0');
  for (const suffix of ['', '-journal'])
    copyFileSync(at(`whole.db${suffix}`), at(`killed.db${suffix}`));
  writer.close();
  expect(copy('killed.db').ok).toBe(true);
  expect(countRows('target.db')).toBe(rows);
});

describe('leaves nothing, and one sentence, of', () => {
  test.each([
    ['a file that grows', () => appendFileSync(at('a.db'), 'x'), 'file-busy'],
    ['a file that shrinks', () => truncateSync(at('a.db'), 4096), 'file-busy'],
    ['a recording that begins', () => writeFileSync(at('a.db-wal'), 'x'), 'file-busy'],
  ])('%s meanwhile', (_name, disturb, code) => {
    record('a.db', 'delete').close();
    const copied = copy('a.db', disturb);
    expect(copied).toMatchObject({ error: { code, message: expect.stringContaining('a.db') } });
    expect(existsSync(at('target.db'))).toBe(false);
  });

  test.each([
    ['no database', 'x'.repeat(5000), 'file-not-a-trace'],
    ['nothing', '', 'file-empty'],
  ])('%s', (_name, content, code) => {
    writeFileSync(at('b.db'), content);
    expect(copy('b.db')).toMatchObject({ error: { code } });
    expect(existsSync(at('target.db'))).toBe(false);
  });

  test('a file that is not there, a folder, a link to itself', () => {
    symlinkSync(at('loop.db'), at('loop.db'));
    expect(copy('gone.db')).toMatchObject({ error: { code: 'file-missing' } });
    expect(copy('.')).toMatchObject({ error: { code: 'file-not-a-trace' } });
    expect(copy('loop.db')).toMatchObject({
      error: { code: 'file-unreadable', message: expect.stringContaining('leads back to itself') },
    });
  });
});

test('a source that is deleted while it is copied is copied to its end', () => {
  record('a.db', 'delete').close();
  const bytes = readFileSync(at('a.db'));
  expect(copy('a.db', () => rmSync(at('a.db'), { force: true })).ok).toBe(true);
  expect(readFileSync(at('target.db')).equals(bytes)).toBe(true);
});

test('what stands at the target is never written over', () => {
  record('a.db', 'delete').close();
  writeFileSync(at('target.db'), 'kept');
  expect(copy('a.db').ok).toBe(false);
  expect(readFileSync(at('target.db'), 'utf8')).toBe('kept');
});
