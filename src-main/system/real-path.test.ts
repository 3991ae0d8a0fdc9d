import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realPath, realPathNow } from './real-path.ts';

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'real-path-')));
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  writeFileSync(join(folder, 'a', 'file'), '');
  symlinkSync('a', join(folder, 'to-a'));
  symlinkSync('a/missing', join(folder, 'to-nothing'));
  symlinkSync('to-nothing', join(folder, 'to-to-nothing'));
  symlinkSync('loop', join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['realPath', realPath],
  ['realPathNow', async (path: string) => realPathNow(path)],
])('%s', (_name, resolved) => {
  test.each([
    ['a/b', 'a/b'],
    ['to-a/b/', 'a/b'],
    ['to-a/file', 'a/file'],
    ['to-a/b/c/d', 'a/b/c/d'],
    ['to-a/file/below', 'a/file/below'],
    ['to-a/../a', 'a'],
    ['to-nothing', 'a/missing'],
    ['to-to-nothing/c/d', 'a/missing/c/d'],
    ['loop', 'loop'],
    ['x/../../y', '../y'],
  ])('%s is %s', async (path, real) => {
    expect(await resolved(join(folder, path))).toBe(join(folder, real));
  });

  test('a path of 20,000 folders is told as fast as any', async () => {
    const long = 'a/'.repeat(20_000);
    expect(await resolved(`${folder}/to-a/${long}`)).toBe(`${folder}/a/${long.slice(0, -1)}`);
    expect(await resolved('/')).toBe('/');
  });
});
