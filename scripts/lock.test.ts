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

/** A process that notes when it comes and goes while it holds the lock: for a while, or until a file is there. */
function contender(name: string, holdsUntil = '') {
  const script = `
    import { appendFileSync, existsSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)};
    withLock(${JSON.stringify(lock())}, () => undefined, () => {
      appendFileSync(${JSON.stringify(join(folder, 'log'))}, '${name}+');
      const until = ${JSON.stringify(holdsUntil)};
      const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      // Long enough for the others to come meanwhile.
      if (until === '') pause(300);
      else while (!existsSync(until)) pause(10);
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
  const letGo = join(folder, 'let-go');
  const other = contender('a', letGo);
  while (!existsSync(join(lock(), 'pid'))) await new Promise((resolve) => setTimeout(resolve, 10));
  const waited: unknown[] = [];
  withLock(
    lock(),
    (pid) => {
      waited.push(pid);
      writeFileSync(letGo, '');
    },
    () => undefined,
  );
  expect(waited).toEqual([other.pid]);
});
