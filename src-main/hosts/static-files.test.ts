import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStaticFile } from './static-files.ts';

let folder: string;
let root: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'static-files-'));
  root = join(folder, 'renderer');
  await mkdir(join(root, 'assets', 'folder.js'), { recursive: true });
  await writeFile(join(root, 'index.html'), '<title>x</title>');
  await writeFile(join(root, 'assets', 'a-b_1.js'), 'let a');
  await writeFile(join(root, 'secret.pem'), 'key');
  await writeFile(join(folder, 'outside.js'), 'let b');
  await symlink(join(folder, 'outside.js'), join(root, 'link.js'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('openStaticFile', () => {
  test.each([
    ['/index.html', 'text/html; charset=utf-8', '<title>x</title>'],
    ['/assets/a-b_1.js', 'text/javascript; charset=utf-8', 'let a'],
    ['/assets/a%2Db_1.js', 'text/javascript; charset=utf-8', 'let a'],
  ])('serves %s', async (pathname, mimeType, text) => {
    const file = await openStaticFile(root, pathname);
    expect(file?.mimeType).toBe(mimeType);
    expect(file?.byteLength).toBe(text.length);
    expect(file && (await readText(file.body()))).toBe(text);
  });

  test.each([
    '/',
    '',
    '/missing.js',
    '/assets',
    '/assets/folder.js',
    '/secret.pem',
    '/link.js',
    '/../outside.js',
    '/%2e%2e/outside.js',
    '/..%2foutside.js',
    '/..%5coutside.js',
    '/assets/../../outside.js',
    '//outside.js',
    '/index.html%00.js',
    '/%zz.js',
    '/C:/outside.js',
  ])('has no %s', async (pathname) => {
    expect(await openStaticFile(root, pathname)).toBeUndefined();
  });

  test.each([
    ['a link', () => symlink(join(folder, 'outside.js'), join(root, 'swapped.js'))],
    ['a hard link', () => link(join(folder, 'outside.js'), join(root, 'swapped.js'))],
    ['nothing', async () => undefined],
  ])('reads nothing once %s took the place of what was looked at', async (_what, swap) => {
    await writeFile(join(root, 'swapped.js'), 'let a');
    const file = await openStaticFile(root, '/swapped.js');
    await rm(join(root, 'swapped.js'));
    await swap();
    expect(file?.byteLength).toBe(5);
    await expect(file && readText(file.body())).rejects.toThrow();
    await rm(join(root, 'swapped.js'), { force: true });
  });
});
