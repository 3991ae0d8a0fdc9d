import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT_STAMP, isBuildCurrent } from './staleness.mjs';

let root: string;

function touch(name: string, seconds: number): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  utimesSync(path, seconds, seconds);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'staleness-'));
  touch('src-main/app/app.ts', 1000);
  touch('package.json', 1000);
  for (const folder of ['src-main', 'src-main/app']) utimesSync(join(root, folder), 1000, 1000);
  touch('out/main/cli.js', 1000);
  touch(BUILT_STAMP, 2000);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a build newer than everything it is made of is current', () => {
  expect(isBuildCurrent(root)).toBe(true);
});

test.each([
  'src-main/app/app.ts',
  'package.json',
  'package-lock.json',
  'svelte.config.js',
  'tsconfig.base.json',
  'electron.vite.config.ts',
])('a newer %s makes it stale', (name) => {
  touch(name, 3000);
  expect(isBuildCurrent(root)).toBe(false);
});

test.each([BUILT_STAMP, 'out/main/cli.js'])('without %s there is no build', (name) => {
  rmSync(join(root, name));
  expect(isBuildCurrent(root)).toBe(false);
});
