import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import { forgetKept } from '../../trace/cache/trace-cache.ts';
import { openKept } from './kept-trace.ts';

let folder: string;
let path: string;
let cacheFolder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-kept-'));
  path = join(folder, 'large.trace.db');
  cacheFolder = join(folder, 'cache');
  // Smaller ones are not kept.
  writeFileSync(path, Buffer.alloc(5 * 2 ** 20, 'a trace '));
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const trace = loaderTrace({ batches: 10, batchNs: 1_000_000 });

test('an answer that two have waited for is kept once', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const kept = await openKept(path, cacheFolder);
  const keeping = ['slow', 'slow'].map((answer) => kept?.keepAnswer('verdict {}', answer));
  keeping.push(kept?.keepLater(trace));
  vi.runAllTimers();
  await Promise.all(keeping.map((each) => Promise.resolve(each)));
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
  expect(await (await openKept(path, cacheFolder))?.answer('verdict {}')).toBe('slow');
});

test('what is told anew, as the tiles of a view, is kept anew', async () => {
  const kept = await openKept(path, cacheFolder);
  const keeping = [kept?.keepAnswer('tiles', 'some'), kept?.keepLater(trace)];
  vi.runAllTimers();
  await Promise.all(keeping.map((each) => Promise.resolve(each)));
  await kept?.keepAnswer('tiles', 'more');
  expect(await (await openKept(path, cacheFolder))?.answer('tiles')).toBe('more');
});

test('what was answered before the name of the bytes is known is kept with the trace', async () => {
  const kept = await openKept(path, cacheFolder);
  expect(kept?.hasTrace).toBe(false);
  const keeping = [kept?.keepAnswer('verdict {}', 'slow'), kept?.keepLater(trace)];
  vi.runAllTimers();
  await Promise.all(keeping.map((each) => Promise.resolve(each)));
  const again = await openKept(path, cacheFolder);
  expect(again?.hasTrace).toBe(true);
  expect(await again?.answer('verdict {}')).toBe('slow');
  expect(await again?.trace()).toEqual(trace);
});

test('nothing is kept of a file that is another one by then', async () => {
  const kept = await openKept(path, cacheFolder);
  const keeping = [kept?.keepAnswer('verdict {}', 'slow'), kept?.keepLater(trace)];
  writeFileSync(path, Buffer.alloc(6 * 2 ** 20, 'another '));
  vi.runAllTimers();
  await Promise.all(keeping.map((each) => Promise.resolve(each)));
  expect((await openKept(path, cacheFolder))?.hasTrace).toBe(false);
  expect(() => readdirSync(cacheFolder)).toThrow(/ENOENT/);
});

test('what was read of a file that was copied is kept as that of the copy', async () => {
  const kept = await openKept(path, cacheFolder);
  const copy = join(folder, 'copy.trace.db');
  copyFileSync(path, copy);
  kept?.moved(copy);
  rmSync(path);
  const keeping = kept?.keepLater(trace);
  vi.runAllTimers();
  await keeping;
  expect((await openKept(copy, cacheFolder))?.hasTrace).toBe(true);
  // It goes with the copy.
  await forgetKept(cacheFolder, copy);
  expect((await openKept(copy, cacheFolder))?.hasTrace).toBe(false);
});
