import { posix, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createStoredPaths } from './stored-path.ts';

describe('stored paths', () => {
  test.each([
    ['/data', '/data/files/a.db', 'files/a.db', posix],
    ['/data', '/data/..a/b', '..a/b', posix],
    ['/data', '/data', undefined, posix],
    ['/data', '/database/a.db', undefined, posix],
    ['/data', '/a.db', undefined, posix],
    ['C:\\Data', 'C:\\Data\\files\\a.db', 'files/a.db', win32],
    ['C:\\Data', 'c:\\data\\files\\a.db', 'files/a.db', win32],
    ['C:\\Data', 'D:\\Data\\files\\a.db', undefined, win32],
    ['\\\\server\\share\\Data', '\\\\server\\share\\Data\\a.db', 'a.db', win32],
    ['\\\\server\\share\\Data', '\\\\server\\other\\a.db', undefined, win32],
  ])('in %s: %s is %s', (folder, absolute, stored, paths) => {
    const { toStored, toAbsolute, relative } = createStoredPaths(folder, folder, paths);
    expect(relative(absolute)).toBe(stored);
    expect(toStored(absolute, 'referenced')).toBe(absolute);
    expect(toStored(absolute, 'copied')).toBe(stored ?? absolute);
    expect(toAbsolute(toStored(absolute, 'copied')).toLowerCase()).toBe(absolute.toLowerCase());
  });

  test('know the folder with and without links', () => {
    const { toStored, toAbsolute } = createStoredPaths('/home/me/data', '/disk/data');
    expect(toStored('/disk/data/a.db', 'copied')).toBe('a.db');
    expect(toStored('/home/me/data/a.db', 'copied')).toBe('a.db');
    expect(toAbsolute('a.db')).toBe('/home/me/data/a.db');
  });
});
