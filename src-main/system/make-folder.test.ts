import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { makeFolder, makeFolderNow } from './make-folder.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'make-folder-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const ways = [
  ['at once', async (path: string) => makeFolderNow(path)],
  ['meanwhile', makeFolder],
] as const;

describe.each(ways)('a folder that is made %s', (_name, make) => {
  test('has all that is above it, for the user alone', async () => {
    const path = join(base, 'a', 'b', 'c');
    await make(path);
    await make(path);
    for (const each of [path, join(base, 'a', 'b'), join(base, 'a')]) {
      expect(statSync(each).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o700);
    }
  });

  test('may be made by several at once', async () => {
    const path = join(base, 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 8 }, () => make(path)));
    expect(existsSync(path)).toBe(true);
  });

  test('may be a link to one', async () => {
    symlinkSync(base, join(base, 'link'));
    await make(join(base, 'link'));
    await make(join(base, 'link', 'below'));
    expect(existsSync(join(base, 'below'))).toBe(true);
  });

  describeWith(['linux'], 'is refused', () => {
    test.each([
      // Node's own mkdir never returns from these two.
      ['where no folder is ever made', () => '/proc/nowhere/data', 'ENOENT'],
      ['below one', () => '/proc/self/fd/77/data/more', 'ENOENT'],
      ['in a file', () => join(base, 'file', 'data'), 'ENOTDIR'],
      ['that is a file', () => join(base, 'file'), 'EEXIST'],
      ['through a link that leads nowhere', () => join(base, 'dangling', 'data'), 'E'],
      ['through a link to itself', () => join(base, 'loop', 'data'), 'ELOOP'],
      ['with a name that is too long', () => join(base, 'n'.repeat(300), 'data'), 'ENAMETOOLONG'],
      ['with a path that is too long', () => join(base, 'nnn/'.repeat(1200)), 'ENAMETOOLONG'],
    ])('%s', async (_title, path, code) => {
      writeFileSync(join(base, 'file'), '');
      symlinkSync(join(base, 'nowhere'), join(base, 'dangling'));
      symlinkSync(join(base, 'loop'), join(base, 'loop'));
      const thrown = await make(path()).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error,
      );
      expect(thrown?.code).toContain(code);
      expect(existsSync(join(base, 'nowhere'))).toBe(false);
    });
  });
});
