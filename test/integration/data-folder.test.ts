import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
let host: BrowserHost;
let page: BrowserPage;

const at = (...names: string[]) => join(folder, ...names);
/** No STALLTRACE_DATA_DIR: the settings decide. */
const environment = () => ({
  STALLTRACE_DATA_DIR: '',
  XDG_CONFIG_HOME: at('config'),
  XDG_DATA_HOME: at('home'),
});

async function start(): Promise<void> {
  host = await startBrowserHost(['--root', folder], folder, at('unused'), environment());
  page = await openPage(host);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-folder-'));
  await start();
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function successOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const move = (path: string, copy: boolean) => page.call('settings.moveDataFolder', { path, copy });

async function restart(): Promise<void> {
  await host.stop(true);
  await start();
}

async function listed() {
  return successOf(await page.call('library.list', {})).filter(({ sample }) => !sample);
}

test('a library moves with its copies, notes and states, at the next start', async () => {
  makeIngeroDatabase(at('a.db'), '0.16.0');
  const { investigation } = successOf(
    await page.call('library.add', { path: at('a.db'), copy: true }),
  );
  const { id } = investigation;
  successOf(await page.call('library.change', { id, name: 'My run', tags: ['kept'] }));
  const info = successOf(await move(at('new'), true));
  expect(info).toEqual({ path: at('home/stalltrace'), from: 'platform', next: at('new') });
  // Until then it is the old one that is used.
  expect(await listed()).toMatchObject([{ path: investigation.path }]);
  await restart();
  expect(successOf(await page.call('settings.dataFolder', {}))).toEqual({
    path: at('new'),
    from: 'setting',
  });
  const [entry] = await listed();
  expect(entry).toMatchObject({ name: 'My run', tags: ['kept'], storage: 'copied', state: 'ok' });
  expect(entry?.path.startsWith(at('new/files'))).toBe(true);
  expect(await page.call('trace.open', { id: entry?.id ?? 0 })).toMatchObject({ ok: true });
  expect(existsSync(investigation.path)).toBe(true);
});

test('a folder with a library is used as it is, and not written over', async () => {
  await page.call('library.list', {});
  successOf(await move(at('new'), true));
  const refused = await move(at('new'), true);
  expect(refused).toMatchObject({
    error: { code: 'folder-unusable', message: expect.stringContaining('holds a library already') },
  });
  expect(await move(at('new'), false)).toMatchObject({ ok: true });
});

test('no host begins an empty library where the disk of the chosen one is not mounted', async () => {
  successOf(await move(at('disk'), true));
  await host.stop(true);
  rmSync(at('disk'), { recursive: true });
  mkdirSync(at('disk'));
  for (const args of [['serve'], ['library'], ['import', at('a.db')], ['info', at('a.db')]]) {
    const { code, stderr } = runCli(args, folder, environment());
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${at('disk')} holds no library`)]);
    expect(stderr).toContain(at('config/stalltrace/config.json'));
  }
  expect(readdirSync(at('disk'))).toEqual([]);
  rmSync(at('config'), { recursive: true });
  await start();
});

describe('a folder is refused in one sentence, and nothing changes, where it', () => {
  test.each([
    ['is no absolute path', () => 'traces', /whole path|outside the folders/],
    ['is a file', () => fileAt('file'), /can't be written/],
    ['holds other files', () => join(fileAt('full/photo.jpg'), '..'), /holds other files/],
    ['holds a library of a newer version', () => newerLibrary(), /newer Stalltrace/],
  ])('%s', async (_name, make, sentence) => {
    const refused = await move(make(), false);
    expect(refused.ok).toBe(false);
    expect(refused.ok ? '' : refused.error.message).toMatch(sentence);
    expect(successOf(await page.call('settings.dataFolder', {}))).not.toHaveProperty('next');
    expect(existsSync(at('config'))).toBe(false);
  });

  function fileAt(name: string): string {
    mkdirSync(join(at(name), '..'), { recursive: true });
    writeFileSync(at(name), '');
    return at(name);
  }

  function newerLibrary(): string {
    mkdirSync(at('newer'));
    const database = new DatabaseSync(at('newer/library.db'));
    database.exec('PRAGMA user_version = 99; CREATE TABLE x (y)');
    database.close();
    return at('newer');
  }
});

test('a configuration that is not understood is told, and does not keep anyone out', async () => {
  mkdirSync(at('config/stalltrace'), { recursive: true });
  writeFileSync(at('config/stalltrace/config.json'), '{"dataFolder": 7}');
  await restart();
  expect(host.log()).toMatch(/config\.json are ignored/);
  expect(successOf(await page.call('settings.dataFolder', {})).from).toBe('platform');
});

test('STALLTRACE_DATA_DIR is not overruled', async () => {
  await host.stop();
  host = await startBrowserHost(['--root', folder], folder, at('own'));
  page = await openPage(host);
  expect(await move(at('new'), false)).toMatchObject({ error: { code: 'set-by-environment' } });
});
