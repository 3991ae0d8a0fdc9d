import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  AddedInvestigation,
  Investigation,
} from '../../src-main/shared/library/investigation.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';
import { traceBytes } from '../support/trace-bytes.ts';

const bytes = traceBytes();
let host: BrowserHost;
let page: BrowserPage;

beforeEach(async () => {
  host = await startBrowserHost();
  page = await openPage(host);
});
afterEach(() => host.stop());

const uploads = () => join(host.dataFolder, 'files');
const stored = () => readdirSync(uploads(), { recursive: true });

function successOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function entryOf(added: Result<AddedInvestigation>): Investigation {
  return successOf(added).investigation;
}

async function listedUploads(): Promise<readonly Investigation[]> {
  return successOf(await page.call('library.list', {})).filter(({ sample }) => !sample);
}

/** Starts the host again on the same data. */
async function restart(): Promise<void> {
  await host.stop(true);
  host = await startBrowserHost([], undefined, host.dataFolder);
  page = await openPage(host);
}

function age(path: string, ms: number): void {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
}

describe('the same file', () => {
  test('sent twice at any distance is listed once and stays', async () => {
    for (const apartMs of [0, 20, 60, 120, 200]) {
      const first = page.upload('same.db', bytes);
      await new Promise((resolve) => setTimeout(resolve, apartMs));
      const results = await Promise.all([first, page.upload('same.db', bytes)]);
      for (const result of results) expect(existsSync(entryOf(result).path)).toBe(true);
    }
    expect(await listedUploads()).toHaveLength(1);
  });

  test('sent again leaves the copy that may be being read untouched', async () => {
    const inode = () => statSync(path, { bigint: true }).ino;
    const { path } = entryOf(await page.upload('same.db', bytes));
    const before = inode();
    await page.upload('same.db', bytes);
    expect(inode()).toBe(before);
  });

  test('under another name is the same entry, under its first name', async () => {
    const first = entryOf(await page.upload('first.db', bytes));
    const second = entryOf(await page.upload('second.db', bytes));
    expect(second).toMatchObject({ id: first.id, name: 'first.db', path: first.path });
    expect(await listedUploads()).toHaveLength(1);
    expect(stored()).toHaveLength(2);
  });

  test('is back as it was once it was removed', async () => {
    const first = entryOf(await page.upload('first.db', bytes));
    await page.call('library.remove', { id: first.id, trashFile: false });
    expect(await listedUploads()).toEqual([]);
    const again = successOf(await page.upload('second.db', bytes));
    expect(again).toMatchObject({
      wasKnown: true,
      investigation: { id: first.id, name: 'first.db' },
    });
    expect(stored()).toHaveLength(2);
  });

  test('as one that is listed by its path is not kept twice', async () => {
    const path = join(host.dataFolder, 'own.db');
    makeIngeroDatabase(path, '0.10.0');
    const added = successOf(await page.call('library.add', { path }));
    expect(added).toMatchObject({
      wasKnown: false,
      investigation: { storage: 'referenced', path },
    });
    const sent = successOf(await page.upload('sent.db', readFileSync(path)));
    expect(sent).toMatchObject({ wasKnown: true, investigation: { id: added.investigation.id } });
    expect(stored()).toEqual([]);
  });
});

describe('nothing is left', () => {
  test('of a file that is no trace', async () => {
    const refused = await page.upload('../../evil.db', 'not a database'.repeat(40));
    expect(refused).toMatchObject({ ok: false, error: { code: 'file-not-a-trace' } });
    expect(stored()).toEqual([]);
    expect(existsSync(join(host.dataFolder, '..', 'evil.db'))).toBe(false);
  });

  test('of an upload that is broken off', async () => {
    const ticket = await page.ticket('POST /upload');
    const sending = request(`${page.origin}/upload?name=x.db`, {
      method: 'POST',
      headers: { ...ticket, 'content-type': 'application/octet-stream' },
    });
    sending.on('error', () => undefined);
    sending.write(bytes);
    await expect.poll(() => existsSync(uploads()) && stored().length).toBe(2);
    sending.destroy();
    await expect.poll(stored).toEqual([]);
  });

  test('of a removed entry, a crash and a lost import at the next start', async () => {
    await page.call('library.list', {});
    const { id, path } = entryOf(await page.upload('removed.db', bytes));
    await page.call('library.remove', { id, trashFile: false });
    expect(existsSync(path)).toBe(true);
    age(dirname(path), 3_600_000);
    const leftovers = ['crashed.part', '0123456789abcdef'].map((name) => join(uploads(), name));
    for (const folder of leftovers) {
      mkdirSync(folder);
      age(folder, 25 * 3_600_000);
    }
    const fresh = join(uploads(), 'running.part');
    mkdirSync(fresh);
    writeFileSync(join(uploads(), 'notes.txt'), 'not ours');
    await restart();
    await expect.poll(() => stored().sort()).toEqual(['notes.txt', 'running.part']);
  });
});

test('a start leaves alone what is listed, what is recent, and what a lost library listed', async () => {
  await page.call('library.list', {});
  const { path } = entryOf(await page.upload('listed.db', bytes));
  age(dirname(path), 3_600_000);
  const [recent, older] = ['1111111111111111', '2222222222222222'].map((name) => {
    const file = join(uploads(), name, 'x.db');
    mkdirSync(dirname(file));
    writeFileSync(file, 'x');
    return file;
  }) as [string, string];
  age(older, 48 * 3_600_000);
  age(dirname(older), 48 * 3_600_000);
  const swept = join(uploads(), '3333333333333333');
  mkdirSync(swept);
  age(swept, 3_600_000);
  await restart();
  await expect.poll(() => existsSync(swept)).toBe(false);
  expect([path, recent, older].map((file) => existsSync(file))).toEqual([true, true, true]);
});

test.each([
  ['../../x', 'x'],
  ['..\\..\\x', 'x'],
  ['', 'trace.db'],
  ['.', 'trace.db'],
  ['..', 'trace.db'],
  ['a/', 'trace.db'],
  ['CON', '_CON'],
  ['nul.db', '_nul.db'],
  ['  spaced.db. ', 'spaced.db'],
  ['line\nbreak\u0000.db', 'line␊break␀.db'],
  ['C:\\traces\\run 1?.db', 'run 1_.db'],
  [`${'n'.repeat(300)}.db`, `${'n'.repeat(194)}….db`],
  [`${'漢'.repeat(150)}.db`, `${'漢'.repeat(64)}….db`],
  ['-wal', '-wal'],
])('a file named %j is kept inside and listed as %j', async (name, shown) => {
  const entry = entryOf(await page.upload(name, bytes));
  expect(entry.name).toBe(shown);
  expect(dirname(dirname(entry.path))).toBe(uploads());
  expect(readdirSync(dirname(entry.path))).toEqual([shown]);
});
