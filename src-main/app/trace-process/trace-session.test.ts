import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TraceCache } from '../../trace/cache/trace-cache.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { buildStamp } from './build-stamp.ts';
import { createTraceSession } from './trace-session.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-session-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('where a trace can’t be read after its kept summary was told, its process ends', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const path = join(folder, 'large.trace.db');
  // Smaller ones are not kept.
  writeFileSync(path, Buffer.alloc(5 * 2 ** 20, 'no trace '));
  const cacheFolder = join(folder, 'cache');
  const cache = new TraceCache(cacheFolder, buildStamp());
  const name = (await cache.nameOf(path)) ?? '';
  const summary = { format: 'test' };
  await cache.keepAnswer(name, path, 'summary', summary);
  writeFileSync(join(cacheFolder, name), 'damaged');
  const endProcess = vi.fn();
  const session = createTraceSession(endProcess);
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'data'), cacheFolder };
  expect(await session.open(asked, contextOf())).toEqual({ ok: true, value: summary });
  await vi.waitFor(() =>
    expect(endProcess).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/\w\.$/)),
  );
});

test('one that can’t be read at all is told so, and its process goes on', async () => {
  const path = join(folder, 'large.trace.db');
  writeFileSync(path, 'no trace');
  const endProcess = vi.fn();
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'data') };
  const opened = await createTraceSession(endProcess).open(asked, contextOf());
  expect(opened).toMatchObject({ ok: false });
  expect(endProcess).not.toHaveBeenCalled();
});
