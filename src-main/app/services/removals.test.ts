import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CatalogueEntry } from '../../shared/contract/library-process-calls.ts';
import { type App, createApp } from '../app.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';

const GRACE_MS = 15_000;
let folder: string;
let library: FakeLibrary;
let app: App;
let messages: string[];
let trashed: string[];
let trash: ((path: string) => Promise<void>) | undefined;

const at = (...names: string[]) => join(folder, ...names);

function start(): void {
  const { platform } = fakePlatform(library.handlers);
  app = createApp({ ...platform, ...(trash && { trash }) }, { dataFolder: folder });
  // What a test leaves unfinished may fail while the next one runs, and is none of its messages.
  const own = messages;
  app.onEvent((name, payload) => {
    if (name === 'library.trashFailed') own.push((payload as { message: string }).message);
  });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'removals-'));
  library = new FakeLibrary();
  messages = [];
  trashed = [];
  trash = async (path) => {
    trashed.push(path);
    await rename(path, at('trashed'));
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, storage: CatalogueEntry['storage']): number {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'trace');
  const fixed = { name: 'x', format: 'x', sizeBytes: 5, sample: false, synthetic: false };
  return library.put({ ...fixed, path, storage, processes: [] }).id;
}

const own = () => at('files', '0123456789abcdef', 'run.db');

function remove(id: number, trashFile = false) {
  return app.handlers['library.remove']({ id, trashFile }, contextOf());
}

/** Lets so much time pass. What is due then works on real files, in a time of its own. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** As long as what must not happen would take. */
const nothingHappens = () => delay(500);

test('a copy of our own goes to the trash once the removal cannot be undone', async () => {
  start();
  await remove(put(own(), 'copied'));
  await pass(GRACE_MS - 1000);
  await nothingHappens();
  expect(existsSync(own())).toBe(true);
  await pass(2000);
  await expect.poll(() => existsSync(dirname(own()))).toBe(false);
  expect(trashed).toEqual([own()]);
});

test('an undone removal leaves the file', async () => {
  start();
  const id = put(own(), 'copied');
  await remove(id);
  await app.handlers['library.restore']({ id }, contextOf());
  await pass(2 * GRACE_MS);
  await nothingHappens();
  expect(trashed).toEqual([]);
  expect(library.list()).toMatchObject([{ id, state: 'ok' }]);
});

test('the user’s own file stays, unless they say so', async () => {
  start();
  await remove(put(at('stays.db'), 'referenced'));
  await remove(put(at('goes.db'), 'referenced'), true);
  await pass(GRACE_MS + 1000);
  await expect.poll(() => trashed).toEqual([at('goes.db')]);
  await nothingHappens();
  expect(trashed).toEqual([at('goes.db')]);
  expect(existsSync(at('stays.db'))).toBe(true);
});

test('what a host that ended left is done at the next start', async () => {
  start();
  await remove(put(own(), 'copied'));
  await app.close();
  vi.setSystemTime(Date.now() + GRACE_MS);
  start();
  app.tendLibrary();
  await expect.poll(() => trashed).toEqual([own()]);
});

test('a file that the trash does not take is back on the list, and that is told', async () => {
  trash = async () => {
    throw new Error('EACCES');
  };
  start();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const id = put(own(), 'copied');
  await remove(id);
  await pass(GRACE_MS + 1000);
  await expect.poll(() => messages).toEqual([expect.stringContaining(own())]);
  expect(library.list()).toMatchObject([{ id, state: 'ok' }]);
});

test('a folder that took the place of the file is left alone', async () => {
  start();
  await remove(put(at('a.db'), 'referenced'), true);
  rmSync(at('a.db'));
  mkdirSync(at('a.db'));
  await pass(GRACE_MS + 1000);
  await nothingHappens();
  expect(trashed).toEqual([]);
});

test('a file that came after the removal is not the one that was thrown away', async () => {
  start();
  // So long ago that the two clocks can't be at odds about what came first.
  vi.setSystemTime(Date.now() - 5000);
  await remove(put(at('a.db'), 'referenced'), true);
  await app.close();
  rmSync(at('a.db'));
  writeFileSync(at('a.db'), 'another recording');
  vi.setSystemTime(Date.now() + GRACE_MS);
  start();
  app.tendLibrary();
  await expect.poll(() => messages).toEqual([expect.stringContaining(at('a.db'))]);
  expect(trashed).toEqual([]);
});

test('what is put back while another file is thrown away stays', async () => {
  start();
  const ids = [put(at('a.db'), 'referenced'), put(at('b.db'), 'referenced')];
  for (const id of ids) await remove(id, true);
  const move = trash;
  trash = undefined;
  await app.close();
  trash = async (path) => {
    await library.handlers.restore({ id: ids[1] ?? 0 }, contextOf());
    await move?.(path);
  };
  vi.setSystemTime(Date.now() + GRACE_MS);
  start();
  app.tendLibrary();
  await expect.poll(() => trashed).toEqual([at('a.db')]);
  await nothingHappens();
  expect(trashed).toEqual([at('a.db')]);
  expect(existsSync(at('b.db'))).toBe(true);
});

test('without a trash our own copy is deleted; the user’s file cannot be', async () => {
  trash = undefined;
  start();
  const refused = await remove(put(at('a.db'), 'referenced'), true);
  expect(refused).toMatchObject({ error: { code: 'no-trash' } });
  expect(library.list()).toHaveLength(1);
  await remove(put(own(), 'copied'));
  await pass(GRACE_MS + 1000);
  await expect.poll(() => existsSync(own())).toBe(false);
  expect(existsSync(at('a.db'))).toBe(true);
  const about = await app.handlers['app.about']({}, contextOf());
  expect(about).toMatchObject({ value: { trash: false } });
});
