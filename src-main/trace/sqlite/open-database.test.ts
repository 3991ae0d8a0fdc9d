import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../../../test/fixtures/ingero/make.ts';
import { describeWith } from '../../../test/support/requirements.ts';
import { type ProcessIdentity, processIdentityOf } from '../../system/process-identity.ts';
import { ingeroImporter } from '../formats/ingero/importer.ts';
import { importers } from '../importers.ts';
import { openTrace } from '../open-trace.ts';
import type { Recognisable } from '../source/importer.ts';
import { copyPrefix } from './copy-owner.ts';
import { openDatabase } from './open-database.ts';

let folder: string;
let path: string;
let scratchDir: string;
const writers: DatabaseSync[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-test-'));
  mkdirSync(join(folder, 'traces'));
  path = join(folder, 'traces', 'trace.db');
  scratchDir = join(folder, 'scratch');
});
afterEach(() => {
  for (const writer of writers.splice(0)) writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (file = path) =>
  openTrace(file, { scratchDir, importers: [ingeroImporter], progress() {} });

function codeOf(result: ReturnType<typeof open>): string {
  return result.ok ? 'ok' : result.error.code;
}

/** Everything about the folder that opening a trace must not change. */
function snapshot(): unknown {
  const traces = join(folder, 'traces');
  return readdirSync(traces).map((name) => {
    const { mtimeNs, ino, mode, size } = statSync(join(traces, name), { bigint: true });
    return [name, mtimeNs, ino, mode, size, readFileSync(join(traces, name)).toString('base64')];
  });
}

/** A recorder that still has the database open, with its last commits in the `-wal`. */
function startWriter(): DatabaseSync {
  makeIngeroDatabase(path, '0.17.0');
  const writer = new DatabaseSync(path);
  writers.push(writer);
  writer.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
  addCall(writer);
  return writer;
}

let sequence = 100;
function addCall(database: DatabaseSync): void {
  database.exec(`INSERT INTO events (id, timestamp, pid, tid, source, op, duration)
    VALUES ('n:${sequence++}', 1774015560500000000, 100, 100, 1, 7, 5)`);
}

describe('a file that is no readable database', () => {
  const heads: [string, string | Buffer, string][] = [
    ['empty', '', 'file-empty'],
    ['text', 'a,b,c\n1,2,3\n', 'file-not-a-trace'],
    [
      'a Git LFS pointer',
      'version https://git-lfs.github.com/spec/v1\noid sha256:0',
      'file-lfs-pointer',
    ],
    ['only the magic', 'SQLite format 3\0', 'file-truncated'],
    ['half the magic', 'SQLite', 'file-truncated'],
    ['zeros', Buffer.alloc(8192), 'file-not-a-trace'],
  ];
  test.each(heads)('%s', (_, content, code) => {
    writeFileSync(path, content);
    const before = snapshot();
    const result = open();
    expect(codeOf(result)).toBe(code);
    if (!result.ok) expect(result.error.message).toMatch(/“trace\.db”.*[.:]/);
    expect(snapshot()).toEqual(before);
  });

  test('missing', () => expect(codeOf(open())).toBe('file-missing'));
  test('a folder', () => expect(codeOf(open(folder))).toBe('file-not-a-trace'));
  test('below a file', () => {
    writeFileSync(path, 'x');
    expect(codeOf(open(join(path, 'deeper')))).toBe('file-missing');
  });
  test('an impossible page size', () => {
    makeIngeroDatabase(path, '0.8.1');
    const bytes = readFileSync(path);
    bytes.writeUInt16BE(1000, 16);
    writeFileSync(path, bytes);
    expect(codeOf(open())).toBe('file-damaged');
  });
});

describeWith(['notWindows'], 'what only Unix has instead of a file', () => {
  test('a FIFO nobody writes to, without waiting', () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    expect(codeOf(open())).toBe('file-not-a-trace');
  });

  test('a pipe, as a process substitution makes one', () => {
    const script = `
      import { readDatabaseHeader } from ${JSON.stringify(join(import.meta.dirname, 'database-header.ts'))};
      console.log(JSON.stringify(readDatabaseHeader('/dev/fd/0')));`;
    const result: ReturnType<typeof open> = JSON.parse(
      execFileSync('sh', [
        '-c',
        'echo | "$0" --input-type=module -e "$1"',
        process.execPath,
        script,
      ]).toString(),
    );
    expect(codeOf(result)).toBe('file-not-a-trace');
    expect(!result.ok && result.error.message).toContain('a trace must be a file on disk');
  });

  test('a link that leads back to itself', () => {
    symlinkSync(path, path);
    const result = open();
    expect(codeOf(result)).toBe('file-unreadable');
    expect(!result.ok && result.error.message).toContain('leads back to itself');
  });

  test('a device', () => expect(codeOf(open('/dev/zero'))).toBe('file-not-a-trace'));
});

describe('a truncated database', () => {
  test.each([50, 99, 100, 2048, 4095, 4096, 4097, 20000])('to %i bytes', (sizeBytes) => {
    makeIngeroDatabase(path, '0.10.0');
    truncateSync(path, sizeBytes);
    const result = open();
    expect(codeOf(result)).toBe('file-truncated');
  });

  test.each([
    [1, '1 byte'],
    [99, '99 bytes'],
    [1000, '1,000 bytes'],
  ])('to %i bytes is not said to lack a number that nobody knows', (sizeBytes, words) => {
    makeIngeroDatabase(path, '0.10.0');
    truncateSync(path, sizeBytes);
    const result = open();
    expect(!result.ok && result.error.message).toContain(`holds only its first ${words}:`);
  });

  test('whose header does not say how long it was', () => {
    makeIngeroDatabase(path, '0.10.0');
    const bytes = readFileSync(path).subarray(0, 4096 * 3);
    bytes.writeUInt32BE(0, 92);
    writeFileSync(path, bytes);
    expect(['file-damaged', 'file-truncated']).toContain(codeOf(open()));
  });
});

describe('another program’s database', () => {
  test('is named by its tables, made harmless', () => {
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE "<b>moz\u202e" (x); CREATE TABLE places (y)');
    database.close();
    const result = open();
    expect(codeOf(result)).toBe('file-unknown-database');
    const message = result.ok ? '' : result.error.message;
    expect(message).toContain('<b>moz\ufffd, places');
    expect(message).toContain('Ingero');
    const both = openTrace(path, { scratchDir, importers, progress() {} });
    expect(!both.ok && both.error.message).toContain(
      'Choose a file by Stalltrace, Ingero, Nsight Systems, the PyTorch profiler or Chrome.',
    );
  });

  test('may have no tables at all', () => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 3');
    database.close();
    expect(codeOf(open())).toBe('file-unknown-database');
  });
});

describe('the original stays as it is', () => {
  test('in rollback mode', () => {
    makeIngeroDatabase(path, '0.17.0');
    const before = snapshot();
    expect(codeOf(open())).toBe('ok');
    expect(snapshot()).toEqual(before);
  });

  test('in WAL mode without its log, with a notice', () => {
    startWriter().close();
    writers.pop();
    chmodSync(path, 0o444);
    expect(readFileSync(path)[18]).toBe(2);
    const before = snapshot();
    const result = open();
    expect(codeOf(result)).toBe('ok');
    expect(result.ok && result.value.notices[0]?.text).toContain('-wal');
    expect(snapshot()).toEqual(before);
    expect(existsSync(scratchDir)).toBe(false);
  });

  test('in WAL mode with its log, of which the events are read', () => {
    startWriter();
    const before = snapshot();
    const result = open();
    expect(result.ok && result.value.tables.cuda_call.rows).toBe(7);
    expect(snapshot()).toEqual(before);
    expect(readdirSync(scratchDir)).toEqual([]);
  });

  test('with a rollback journal, which is played back in the copy', () => {
    makeIngeroDatabase(path, '0.17.0');
    const writer = new DatabaseSync(path);
    // A tiny cache spills the unfinished transaction into the database file.
    writer.exec('PRAGMA journal_mode=DELETE; PRAGMA cache_size=2; BEGIN IMMEDIATE');
    writer.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO events (id, timestamp, pid, tid, source, op, duration)
      SELECT 'j:' || i, 1774015560500000000, 100, 100, 1, 7, 5 FROM n`);
    const traces = join(folder, 'traces');
    cpSync(traces, join(folder, 'copy'), { recursive: true });
    writer.exec('ROLLBACK');
    writer.close();
    rmSync(traces, { recursive: true });
    renameSync(join(folder, 'copy'), traces);
    expect(statSync(`${path}-journal`).size).toBeGreaterThan(0);
    const before = snapshot();
    const result = open();
    expect(result.ok && result.value.tables.cuda_call.rows).toBe(6);
    expect(snapshot()).toEqual(before);
  });

  test('through a symbolic link', () => {
    makeIngeroDatabase(path, '0.17.0');
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    expect(codeOf(open(link))).toBe('ok');
  });

  test('with a name that is special in URLs', () => {
    const special = join(folder, 'traces', 'a?mode=rwc#%41 é.db');
    makeIngeroDatabase(special, '0.17.0');
    expect(codeOf(open(special))).toBe('ok');
    expect(readdirSync(join(folder, 'traces'))).toEqual(['a?mode=rwc#%41 é.db']);
  });
});

describe('a recorder that still runs', () => {
  test('does not disturb reading, nor is it disturbed', () => {
    const writer = startWriter();
    for (let round = 0; round < 20; round++) {
      addCall(writer);
      const result = open();
      expect(result.ok && result.value.tables.cuda_call.rows).toBe(8 + round);
    }
  });

  test('may move its log into the database while the copy is read', () => {
    const writer = startWriter();
    const checkpointing = {
      ...ingeroImporter,
      recognises(source: Recognisable) {
        addCall(writer);
        writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        return ingeroImporter.recognises(source);
      },
    };
    const result = openTrace(path, { scratchDir, importers: [checkpointing], progress() {} });
    expect(result.ok && result.value.tables.cuda_call.rows).toBe(7);
  });

  test('that writes into the database while it is read in place is named as the reason', () => {
    makeIngeroDatabase(path, '0.17.0');
    const writing = {
      ...ingeroImporter,
      recognises(source: Recognisable) {
        const writer = new DatabaseSync(path);
        addCall(writer);
        writer.close();
        return ingeroImporter.recognises(source);
      },
    };
    const result = openTrace(path, { scratchDir, importers: [writing], progress() {} });
    expect(codeOf(result)).toBe('file-busy');
  });

  test('that has the database locked is named as the reason', () => {
    makeIngeroDatabase(path, '0.17.0');
    const writer = new DatabaseSync(path);
    writers.push(writer);
    writer.exec('BEGIN EXCLUSIVE');
    expect(codeOf(open())).toBe('file-busy');
  });

  test('that has not yet moved its log into the database asks for the log', () => {
    const writer = new DatabaseSync(path);
    writers.push(writer);
    writer.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE events (x)');
    const copy = join(folder, 'copy.db');
    cpSync(path, copy);
    const result = open(copy);
    expect(codeOf(result)).toBe('file-no-events');
    expect(!result.ok && result.error.message).toContain('copy.db-wal');
  });

  test('whose file vanishes while it is read does not matter', () => {
    makeIngeroDatabase(path, '0.17.0');
    const vanishing = {
      ...ingeroImporter,
      recognises(source: Recognisable) {
        rmSync(path);
        return ingeroImporter.recognises(source);
      },
    };
    const result = openTrace(path, { scratchDir, importers: [vanishing], progress() {} });
    expect(codeOf(result)).toBe('ok');
  });

  test('whose file is cut while it is read is said to be damaged or written to', () => {
    makeIngeroDatabase(path, '0.17.0');
    const cutting = {
      ...ingeroImporter,
      recognises(source: Recognisable) {
        const found = ingeroImporter.recognises(source);
        truncateSync(path, 8192);
        return found;
      },
    };
    const result = openTrace(path, { scratchDir, importers: [cutting], progress() {} });
    expect(['file-damaged', 'file-truncated', 'file-busy']).toContain(codeOf(result));
  });
});

describe('private copies', () => {
  test('are for this user only and gone after closing', () => {
    startWriter();
    const opened = openDatabase(path, scratchDir);
    if (!opened.ok) throw new Error(opened.error.message);
    const [name] = readdirSync(scratchDir);
    const copy = join(scratchDir, name ?? '');
    expect(statSync(copy).mode & 0o777).toBe(0o700);
    expect(statSync(join(copy, 'trace.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(copy)).toEqual(['trace.db']);
    opened.value.close();
    expect(readdirSync(scratchDir)).toEqual([]);
  });

  /** A copy of another process in the scratch folder. */
  function foreignCopy(owner: ProcessIdentity, ageDays = 0): string {
    const name = `${copyPrefix(owner)}x`;
    mkdirSync(join(scratchDir, name), { recursive: true });
    const seconds = Date.now() / 1000 - ageDays * 86_400;
    utimesSync(join(scratchDir, name), seconds, seconds);
    return name;
  }
  function namesAfterOpening(): string[] {
    startWriter();
    expect(codeOf(open())).toBe('ok');
    return readdirSync(scratchDir).sort();
  }
  const deadPid = () => Number(execFileSync('sh', ['-c', 'echo $$']).toString());

  test('of killed processes are removed, those of living ones are not', () => {
    foreignCopy({ ...processIdentityOf(process.pid), pid: deadPid() });
    const living = foreignCopy(processIdentityOf(process.ppid));
    const own = foreignCopy(processIdentityOf(process.pid));
    mkdirSync(join(scratchDir, 'something-else'));
    expect(namesAfterOpening()).toEqual(['something-else', living, own].sort());
  });

  test('of a process whose number another one has now are removed', () => {
    const own = processIdentityOf(process.pid);
    const copy = foreignCopy({ ...own, startTime: '1' });
    // Where a system does not say when a process began, the number alone has to do.
    expect(namesAfterOpening()).toEqual(own.startTime === '0' ? [copy] : []);
  });

  test('of other machines, containers and boots stay for a week', () => {
    const dead = { ...processIdentityOf(process.pid), pid: deadPid() };
    const kept = foreignCopy({ ...dead, place: 'another' }, 6);
    foreignCopy({ ...dead, place: 'a-third' }, 8);
    mkdirSync(join(scratchDir, 'stalltrace-copy-strange'));
    expect(namesAfterOpening()).toEqual([kept, 'stalltrace-copy-strange'].sort());
  });

  test('are not made of a log that is a link elsewhere', () => {
    makeIngeroDatabase(path, '0.17.0');
    symlinkSync('/etc/passwd', `${path}-wal`);
    expect(codeOf(open())).toBe('file-unsafe');
  });

  test('are not made of a journal that could delete another file', () => {
    makeIngeroDatabase(path, '0.17.0');
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    const magic = Buffer.from('d9d505f920a163d7', 'hex');
    writeFileSync(
      `${path}-journal`,
      Buffer.concat([magic, Buffer.alloc(600), Buffer.from(victim), magic]),
    );
    expect(codeOf(open())).toBe('file-unsafe');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readdirSync(scratchDir)).toEqual([]);
  });
});
