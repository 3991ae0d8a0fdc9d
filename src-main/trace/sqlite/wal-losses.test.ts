import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notice } from '../../shared/model/trace.ts';
import { openDatabase } from './open-database.ts';
import { readWal } from './read-wal.ts';

let folder: string;
/** Where the recorder writes. */
let live: string;
/** Where its files were copied to. */
let path: string;
let recorder: DatabaseSync;
let runs = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wal-losses-'));
  for (const name of ['live', 'copied', 'plain']) mkdirSync(join(folder, name));
  live = join(folder, 'live', 'trace.db');
  path = join(folder, 'copied', 'trace.db');
  recorder = record(live);
});
afterEach(() => {
  if (recorder.isOpen) recorder.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A recorder with two commits in its database and none in its log. */
function record(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA page_size=1024; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
  database.exec('CREATE TABLE events(id INTEGER PRIMARY KEY, text TEXT)');
  commit(database, 20);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return database;
}

function commit(database: DatabaseSync, rows: number): void {
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO events(text) SELECT hex(randomblob(40)) FROM n`);
}

/** As somebody copies the files who does not know of the third one. */
function copyFiles(...suffixes: string[]): void {
  for (const suffix of ['', '-wal', ...suffixes]) copyFileSync(live + suffix, path + suffix);
}

interface Read {
  readonly rows: number;
  readonly notices: readonly Notice[];
}

const count = (database: DatabaseSync) =>
  Number(database.prepare('SELECT count(text) AS rows FROM events').get()?.rows);

function open(): Read {
  const opened = openDatabase(path, join(folder, 'scratch'));
  if (!opened.ok) throw new Error(opened.error.message);
  const { database, notices } = opened.value;
  const rows = count(database);
  opened.value.close();
  return { rows, notices };
}

/** What SQLite itself makes of the same files. */
function plainRows(): number {
  const plain = join(folder, 'plain', `${runs++}.db`);
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, plain + suffix);
  const database = new DatabaseSync(plain);
  const rows = count(database);
  database.close();
  return rows;
}

const levels = ({ notices }: Read) => notices.map(({ level }) => level);

describe('nothing is said of a log', () => {
  test('that is whole', () => {
    for (const rows of [5, 50, 1, 500]) commit(recorder, rows);
    copyFiles();
    expect(open()).toEqual({ rows: 576, notices: [] });
    copyFiles('-shm');
    expect(open()).toEqual({ rows: 576, notices: [] });
  });

  test.each(['PASSIVE', 'RESTART'])('that began anew over what it held (%s)', (mode) => {
    commit(recorder, 500);
    recorder.exec(`PRAGMA wal_checkpoint(${mode})`);
    const held = readFileSync(`${live}-wal`).length;
    commit(recorder, 3);
    copyFiles();
    expect(readFileSync(`${path}-wal`)).toHaveLength(held);
    expect(open()).toEqual({ rows: 523, notices: [] });
    // SQLite shortens a log to any length it was told.
    truncateSync(`${path}-wal`, held - 500);
    expect(open()).toEqual({ rows: 523, notices: [] });
  });

  test('that was checked in, though it is still there', () => {
    commit(recorder, 50);
    recorder.exec('PRAGMA wal_checkpoint(PASSIVE)');
    copyFiles('-shm');
    expect(open()).toEqual({ rows: 70, notices: [] });
  });
});

describe('a log whose last write has no end', () => {
  test('is what a recorder leaves that is at it, or was killed', () => {
    commit(recorder, 50);
    recorder.exec('PRAGMA cache_size=2; BEGIN');
    commit(recorder, 500);
    copyFiles();
    recorder.exec('ROLLBACK');
    const read = open();
    expect(read.rows).toBe(70);
    expect(levels(read)).toEqual(['info']);
    expect(read.notices[0]?.text).toContain('has no end');
  });
});

describe('a log that was cut', () => {
  /** Ends of the commits, where what is left looks whole. */
  function commitEnds(): number[] {
    const ends: number[] = [];
    for (const rows of [5, 30, 1, 40]) {
      commit(recorder, rows);
      ends.push(readFileSync(`${live}-wal`).length);
    }
    return ends;
  }

  test('anywhere is noticed wherever rows are missing, and read as SQLite reads it', () => {
    const ends = commitEnds();
    copyFiles();
    const whole = readFileSync(`${path}-wal`);
    const places = new Set([1, 31, 32, 33, 40, 55, 56, 57]);
    for (let at = 32; at < whole.length; at += 1048)
      for (const near of [-1, 0, 20]) places.add(at + near);
    for (const at of places) {
      if (at >= whole.length) continue;
      writeFileSync(`${path}-wal`, whole.subarray(0, at));
      const read = open();
      expect(read.rows, `cut at ${at}`).toBe(plainRows());
      // Nothing tells a log that was cut between two commits, or before the first, from a younger one.
      const looksWhole = at === 32 || ends.includes(at);
      expect(read.notices.length, `cut at ${at}`).toBe(looksWhole ? 0 : 1);
    }
  });

  test('between two commits is noticed where the index was left beside it', () => {
    const ends = commitEnds();
    copyFiles('-shm');
    for (const end of [0, 32, ...ends.slice(0, -1)]) {
      truncateSync(`${path}-wal`, end);
      expect(levels(open()), `cut at ${end}`).toEqual(['warning']);
      copyFiles();
    }
    rmSync(`${path}-wal`);
    expect(levels(open())).toEqual(['warning']);
  });
});

describe('a damaged log', () => {
  test('is noticed wherever it costs rows, and read as SQLite reads it', () => {
    for (const rows of [5, 30, 1, 40]) commit(recorder, rows);
    copyFiles();
    const whole = readFileSync(`${path}-wal`);
    const place = fc.oneof(
      fc.nat({ max: whole.length - 1 }),
      fc.nat({ max: 31 }),
      // Heads of frames: page, size after a commit, salts, sums.
      fc
        .tuple(fc.nat({ max: Math.floor((whole.length - 56) / 1048) }), fc.nat({ max: 23 }))
        .map(([frame, at]) => 32 + frame * 1048 + at),
    );
    const change = fc.tuple(place, fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, bits] of changes) bytes[at] = (bytes[at] ?? 0) ^ bits;
        writeFileSync(`${path}-wal`, bytes);
        const read = open();
        expect(read.rows).toBe(plainRows());
        expect(read.notices.length).toBe(bytes.equals(whole) ? 0 : 1);
      }),
      { numRuns: 80, seed: 1 },
    );
  });

  test.each([
    ['garbage', () => Buffer.alloc(5000, 'garbage')],
    ['zeros', () => Buffer.alloc(5000)],
    [
      'only garbage behind its head',
      (log: Buffer) => Buffer.concat([log.subarray(0, 32), Buffer.alloc(5000, 'x')]),
    ],
  ])('is noticed where it is %s', (_words, make) => {
    commit(recorder, 50);
    copyFiles();
    writeFileSync(`${path}-wal`, make(readFileSync(`${path}-wal`)));
    const read = open();
    expect(read.rows).toBe(20);
    expect(levels(read)).toEqual(['warning']);
  });

  test('is noticed where something was written behind it', () => {
    commit(recorder, 50);
    copyFiles();
    appendFileSync(`${path}-wal`, Buffer.alloc(3000, 'more'));
    expect(open()).toMatchObject({ rows: 70, notices: [{ level: 'warning' }] });
  });

  test('with numbers in the other order of bytes is read as well', () => {
    commit(recorder, 50);
    copyFiles();
    const log = readFileSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, inOtherOrder(log));
    expect(plainRows()).toBe(70);
    expect(open()).toEqual({ rows: 70, notices: [] });
  });
});

/** The same log as a machine with the other order of bytes writes it: the sums are of other numbers. */
function inOtherOrder(log: Buffer): Buffer {
  const bytes = Buffer.from(log);
  const isBig = (bytes.readUInt32BE(0) & 1) === 1;
  bytes.writeUInt32BE((bytes.readUInt32BE(0) ^ 1) >>> 0, 0);
  let sums: [number, number] = [0, 0];
  const add = (part: Buffer) => {
    for (let at = 0; at < part.length; at += 8) {
      const numberAt = (from: number) =>
        isBig ? part.readUInt32LE(from) : part.readUInt32BE(from);
      const one = (sums[0] + numberAt(at) + sums[1]) >>> 0;
      sums = [one, (sums[1] + numberAt(at + 4) + one) >>> 0];
    }
  };
  const write = (at: number) => {
    for (const [index, sum] of sums.entries()) bytes.writeUInt32BE(sum, at + index * 4);
  };
  add(bytes.subarray(0, 24));
  write(24);
  for (let at = 32; at < bytes.length; at += 1048) {
    add(bytes.subarray(at, at + 8));
    add(bytes.subarray(at + 24, at + 1048));
    write(at + 16);
  }
  return bytes;
}

describe('the log of another file', () => {
  test.each([
    ['with pages of another size', 'PRAGMA page_size=4096; PRAGMA journal_mode=WAL'],
    [
      'of another program',
      'PRAGMA page_size=1024; PRAGMA application_id=77; PRAGMA journal_mode=WAL',
    ],
    [
      'with text in another encoding',
      "PRAGMA page_size=1024; PRAGMA encoding='UTF-16'; PRAGMA journal_mode=WAL",
    ],
  ])('%s is left out and told', (_words, begin) => {
    recorder.exec('PRAGMA application_id=5; PRAGMA wal_checkpoint(TRUNCATE)');
    const other = join(folder, 'other.db');
    const writer = new DatabaseSync(other);
    writer.exec(
      `${begin}; PRAGMA wal_autocheckpoint=0; CREATE TABLE other(x); INSERT INTO other VALUES (1)`,
    );
    copyFileSync(live, path);
    copyFileSync(`${other}-wal`, `${path}-wal`);
    writer.close();
    const read = open();
    expect(read).toMatchObject({ rows: 20, notices: [{ level: 'warning' }] });
    expect(read.notices[0]?.text).toContain('another file');
  });

  test('that this one had before is left out and told', () => {
    commit(recorder, 5);
    recorder.exec('CREATE TABLE one(x)');
    const old = readFileSync(`${live}-wal`);
    recorder.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    commit(recorder, 500);
    recorder.exec('CREATE TABLE two(x); PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(live, path);
    writeFileSync(`${path}-wal`, old);
    expect(open()).toMatchObject({ rows: 525, notices: [{ level: 'warning' }] });
  });
});

test('an index that lies, is damaged or is no index costs nothing', () => {
  commit(recorder, 50);
  copyFiles('-shm');
  const index = readFileSync(`${path}-shm`);
  for (let at = 0; at < 136; at += 6) {
    const bytes = Buffer.from(index);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(`${path}-shm`, bytes);
    expect(open()).toEqual({ rows: 70, notices: [] });
  }
  writeFileSync(`${path}-shm`, 'x');
  expect(open()).toEqual({ rows: 70, notices: [] });
});

test('a log is summed up frame by frame', () => {
  commit(recorder, 50);
  const wal = readWal(`${live}-wal`);
  expect(wal).toMatchObject({ hasHead: true, pageBytes: 1024, unfinished: 0, isDamaged: false });
  expect(wal.frames).toBe((readFileSync(`${live}-wal`).length - 32) / 1048);
  expect(wal.read).toBe(wal.frames);
});
