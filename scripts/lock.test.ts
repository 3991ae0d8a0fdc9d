import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.mjs';

let folder: string;
const lock = () => join(folder, 'lock');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that notes when it comes and goes while it holds the lock. */
function contender(name: string) {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)};
    withLock(${JSON.stringify(lock())}, () => undefined, () => {
      appendFileSync(${JSON.stringify(join(folder, 'log'))}, '${name}+');
      // Long enough for the others to come meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      appendFileSync(${JSON.stringify(join(folder, 'log'))}, '${name}-');
      process.exit(0);
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
}

test('one at a time, also where the holder exits inside', async () => {
  await Promise.all(['a', 'b', 'c'].map((name) => once(contender(name), 'exit')));
  expect(readFileSync(join(folder, 'log'), 'utf8')).toMatch(/^(?:([abc])\+\1-){3}$/);
  expect(existsSync(lock())).toBe(false);
});

test('a lock whose holder was killed is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  mkdirSync(lock());
  writeFileSync(join(lock(), 'pid'), String(pid));
  expect(
    withLock(
      lock(),
      () => undefined,
      () => 'mine',
    ),
  ).toBe('mine');
});

test('who waits is told once for whom', async () => {
  const other = contender('a');
  while (!existsSync(join(lock(), 'pid'))) await new Promise((resolve) => setTimeout(resolve, 10));
  const waited: unknown[] = [];
  withLock(
    lock(),
    (pid) => waited.push(pid),
    () => undefined,
  );
  expect(waited).toEqual([other.pid]);
});
