import { describe, expect, test } from 'vitest';
import { fileFailure } from '../content/file-failure.ts';
import { catchingSqlite, sqliteFailure } from './sqlite-failure.ts';

const sqliteError = (errcode: number) =>
  Object.assign(new Error('words of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('failures', () => {
  test.each([
    ['SQLITE_CORRUPT', 11, 'file-damaged'],
    ['SQLITE_CORRUPT_INDEX', 779, 'file-damaged'],
    ['SQLITE_NOTADB', 26, 'file-damaged'],
    ['SQLITE_IOERR_READ', 266, 'file-damaged'],
    ['SQLITE_IOERR_SHORT_READ', 522, 'file-truncated'],
    ['SQLITE_BUSY_SNAPSHOT', 517, 'file-busy'],
    ['SQLITE_FULL', 13, 'disk-full'],
    ['SQLITE_CANTOPEN', 14, 'file-unreadable'],
    ['SQLITE_TOOBIG', 18, 'file-unsafe'],
    ['SQLITE_AUTH', 23, 'file-unsafe'],
  ])('%s is told as a sentence with a next step', (_, errcode, code) => {
    const failure = sqliteFailure(sqliteError(errcode), 'a.db');
    expect(failure?.code).toBe(code);
    expect(failure?.message).toMatch(/^“a\.db” .*: .*\.$/);
    expect(failure?.detail).toContain('words of SQLite');
  });

  test.each([
    ['ENOENT', 'file-missing'],
    ['EACCES', 'file-unreadable'],
    ['EPERM', 'file-unreadable'],
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EIO', 'file-unreadable'],
  ])('%s is told as a sentence', (code, expected) => {
    const result = fileFailure(Object.assign(new Error('x'), { code }), 'a.db');
    expect(!result.ok && result.error.code).toBe(expected);
    expect(!result.ok && result.error.message).toMatch(/“a\.db”.*: .*\.$/);
  });

  test('lets a bug pass', () => {
    const bug = () => {
      throw new TypeError('undefined is not a function');
    };
    expect(() => catchingSqlite('a.db', bug)).toThrow(TypeError);
  });
});
