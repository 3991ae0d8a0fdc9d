import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Progress } from '../shared/rpc/rpc.ts';
import { createQueue } from './queue.ts';
import { noContext, testFolder, testLibrary, value } from './testing/test-library.ts';

const MiB = 1024 * 1024;

/** A context that does something in the middle of a file: its signal is looked at before each slice. */
function contextThat(action: () => void): typeof noContext {
  const { signal } = new AbortController();
  let looked = 0;
  Object.defineProperty(signal, 'aborted', {
    get() {
      looked++;
      if (looked === 8) action();
      return false;
    },
  });
  return { ...noContext, signal };
}

describe('hashing', () => {
  test('is SHA-256, kept with the entry', async () => {
    const { calls, add, folder } = testLibrary();
    const bytes = randomBytes(3 * MiB + 17);
    const path = join(folder, 'file');
    writeFileSync(path, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await calls.hashFile({ path }, noContext)).toEqual({ ok: true, value: sha256 });
    const { id } = await add('file', { path, sizeBytes: 1 });
    expect(value(await calls.hash({ id }, noContext))).toMatchObject({
      sha256,
      sizeBytes: bytes.length,
      state: 'ok',
    });
    expect(value(await calls.find({ id }, noContext)).sha256).toBe(sha256);
    writeFileSync(path, '');
    expect(value(await calls.hash({ id }, noContext)).sha256).toMatch(/^e3b0c442/);
  });

  test('leaves other calls answered meanwhile, and can be cancelled', async () => {
    const { calls, add, folder } = testLibrary();
    const path = join(folder, 'large');
    writeFileSync(path, Buffer.alloc(256 * MiB));
    const { id } = await add('large', { path });
    const cancel = new AbortController();
    const progress: Progress[] = [];
    const context = {
      ...noContext,
      signal: cancel.signal,
      progress: (step: Progress) => progress.push(step),
    };
    let ended = false;
    const hashing = calls.hash({ id }, context).finally(() => {
      ended = true;
    });
    let answers = 0;
    while (!ended && answers < 20) {
      value(await calls.find({ id }, noContext));
      answers++;
    }
    expect(ended).toBe(false);
    cancel.abort();
    expect(await hashing).toMatchObject({ error: { code: 'cancelled' } });
    expect(value(await calls.find({ id }, noContext))).not.toHaveProperty('sha256');
    for (const { fraction } of progress) expect(fraction).toBeLessThanOrEqual(1);
  });

  test('records nothing of a file that changes meanwhile', async () => {
    const { calls, add, folder } = testLibrary();
    const path = join(folder, 'growing');
    writeFileSync(path, Buffer.alloc(16 * MiB));
    const { id } = await add('growing', { path });
    const grow = contextThat(() => appendFileSync(path, 'more'));
    expect(await calls.hash({ id }, grow)).toMatchObject({
      error: { code: 'file-unreadable', message: expect.stringContaining('is being written') },
    });
    expect(value(await calls.find({ id }, noContext))).not.toHaveProperty('sha256');
  });

  test('records nothing where the entry got another file meanwhile', async () => {
    const { calls, add, folder } = testLibrary();
    const path = join(folder, 'large');
    writeFileSync(path, Buffer.alloc(16 * MiB));
    const { id } = await add('large', { path });
    const to = join(folder, 'other');
    writeFileSync(to, 'other');
    const relocated: Promise<unknown>[] = [];
    const relocate = contextThat(() => {
      const file = { path: to, sizeBytes: 5, storage: 'referenced' } as const;
      relocated.push(calls.relocate({ id, ...file }, noContext));
    });
    expect(await calls.hash({ id }, relocate)).toMatchObject({
      error: { code: 'file-unreadable' },
    });
    expect(await Promise.all(relocated)).toMatchObject([{ ok: true }]);
    expect(value(await calls.find({ id }, noContext))).not.toHaveProperty('sha256');
  });

  test('says what is wrong with a file', async () => {
    const { calls, add, folder } = testLibrary();
    const { id, path } = await add('file');
    rmSync(path);
    const missing = { error: { code: 'file-missing', message: expect.stringContaining(path) } };
    expect(await calls.hash({ id }, noContext)).toMatchObject(missing);
    expect(await calls.hashFile({ path }, noContext)).toMatchObject(missing);
    mkdirSync(path);
    const unreadable = { error: { code: 'file-unreadable' } };
    expect(await calls.hash({ id }, noContext)).toMatchObject(unreadable);
    expect(await calls.hashFile({ path: 'a\u0000b' }, noContext)).toMatchObject(unreadable);
    renameSync(path, join(folder, 'folder'));
  });

  test('needs no library for a file', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'library.db'), 'no database'.repeat(1000));
    const { calls } = testLibrary(folder);
    expect(await calls.hashFile({ path: join(folder, 'library.db') }, noContext)).toMatchObject({
      ok: true,
    });
  });
});

describe('the queue', () => {
  test('runs one at a time and leaves out what was cancelled while it waited', async () => {
    const queue = createQueue();
    const ran: string[] = [];
    let release: () => void = () => undefined;
    const { signal } = new AbortController();
    const first = queue.run(signal, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      ran.push('first');
      throw new Error('a bug');
    });
    const cancel = new AbortController();
    const second = queue.run(cancel.signal, async () => {
      ran.push('second');
      return { ok: true, value: null };
    });
    const third = queue.run(signal, async () => {
      ran.push('third');
      return { ok: true, value: null };
    });
    cancel.abort();
    expect(await second).toMatchObject({ error: { code: 'cancelled' } });
    expect(ran).toEqual([]);
    release();
    await expect(first).rejects.toThrow('a bug');
    expect(await third).toEqual({ ok: true, value: null });
    expect(ran).toEqual(['first', 'third']);
    expect(await queue.run(cancel.signal, async () => ({ ok: true, value: 1 }))).toMatchObject({
      error: { code: 'cancelled' },
    });
  });
});
