import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from './log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('makes its folder, keeps the order and one line a message', async () => {
  const path = join(folder, 'logs', 'desktop.log');
  const log = createLog(path);
  log.write('first\nforged line');
  log.write('second \u001b[31m');
  await log.flush();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => line.slice(25))).toEqual(['first␊forged line', 'second ␛[31m']);
});

test('keeps a grown log aside and stops at a flood', async () => {
  const path = join(folder, 'desktop.log');
  await writeFile(path, 'x'.repeat(2 << 20));
  const log = createLog(path);
  for (let line = 0; line < 3000; line++) log.write('again');
  await log.flush();
  expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(2000);
  expect((await readFile(`${path}.old`, 'utf8')).length).toBe(2 << 20);
});

test('goes on without a disk', async () => {
  await writeFile(join(folder, 'file'), '');
  const log = createLog(join(folder, 'file', 'desktop.log'));
  log.write('lost');
  await expect(log.flush()).resolves.toBeUndefined();
});
