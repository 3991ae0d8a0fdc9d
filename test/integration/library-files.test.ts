import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  AddedInvestigation,
  Investigation,
} from '../../src-main/shared/library/investigation.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';
import { describeWith } from '../support/requirements.ts';
import { writeTrace } from '../support/trace-bytes.ts';

let folder: string;
let host: BrowserHost;
let page: BrowserPage;

const at = (...names: string[]) => join(folder, ...names);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-files-'));
  host = await startBrowserHost(['--root', folder], undefined, at('data'));
  page = await openPage(host);
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function successOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function add(path: string, copy?: boolean): Promise<AddedInvestigation> {
  const args = { path, ...(copy !== undefined && { copy }) };
  return successOf(await page.call('library.add', args));
}

async function listed(): Promise<readonly Investigation[]> {
  return successOf(await page.call('library.list', {})).filter(({ sample }) => !sample);
}

function make(name: string): string {
  const path = at(name);
  makeIngeroDatabase(path, '0.16.0', { sql: `CREATE TABLE "${name}" (x)` });
  return path;
}

/** Starts the host again on the same data. */
async function restart(): Promise<void> {
  await host.stop(true);
  host = await startBrowserHost(['--root', folder], undefined, at('data'));
  page = await openPage(host);
}

describe('a recording that still runs', () => {
  test('is copied with all it has so far, as one file that opens', async () => {
    writeTrace(at('live.db'), 'live');
    const recorder = new DatabaseSync(at('live.db'));
    try {
      recorder.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE late (x)');
      const { investigation } = await add(at('live.db'));
      const { path, storage } = investigation;
      expect(storage).toBe('copied');
      expect(readdirSync(dirname(path))).toEqual(['live.db']);
      expect([...readFileSync(path).subarray(18, 20)]).toEqual([1, 1]);
      const copy = new DatabaseSync(path, { readOnly: true });
      expect(copy.prepare("SELECT name FROM sqlite_schema WHERE name = 'late'").get()).toBeTruthy();
      copy.close();
      const opened = successOf(await page.call('trace.open', { id: investigation.id }));
      expect(opened.summary.tables.cuda_call.rows).toBeGreaterThan(0);
      expect(await add(at('live.db'))).toMatchObject({ wasKnown: true });
    } finally {
      recorder.close();
    }
    // A process that only looked at the file ends after its answer.
    await expect.poll(() => readdirSync(at('data/scratch'))).toEqual([]);
  });
});

describe('a file that went', () => {
  test('is told of by its whole path when it is opened, located and opened again', async () => {
    const { investigation } = await add(make('a.db'));
    const { id } = investigation;
    await expect.poll(async () => (await listed())[0]?.sha256).toBeTruthy();
    renameSync(at('a.db'), at('moved.db'));
    const lost = await page.call('trace.open', { id });
    expect(lost).toMatchObject({ error: { code: 'file-missing' } });
    const message = lost.ok ? '' : lost.error.message;
    expect(message).toContain(at('a.db'));
    expect(message).toContain('“Locate the file…”');
    const place = { id, path: at('moved.db'), acceptDifferent: false };
    expect(successOf(await page.call('library.locate', place))).toMatchObject({ state: 'ok' });
    expect(await page.call('trace.open', { id })).toMatchObject({ ok: true });
  });

  test('and was touched since it was hashed heals by itself', async () => {
    const { investigation } = await add(make('a.db'), true);
    const { path } = investigation;
    copyFileSync(path, at('same'));
    rmSync(path);
    copyFileSync(at('same'), path);
    expect(await listed()).toMatchObject([{ state: 'changed' }]);
    await restart();
    await expect.poll(async () => (await listed())[0]?.state).toBe('ok');
  });
});

test('a file that got damaged says so in the list until it opens again', async () => {
  const { investigation } = await add(make('a.db'));
  copyFileSync(at('a.db'), at('good'));
  truncateSync(at('a.db'), 5000);
  const { id } = investigation;
  expect(await page.call('trace.open', { id })).toMatchObject({ ok: false });
  expect(await listed()).toMatchObject([
    { state: 'damaged', damage: expect.stringMatching(/a\.db/) },
  ]);
  copyFileSync(at('good'), at('a.db'));
  expect(await page.call('trace.open', { id })).toMatchObject({ ok: true });
  expect((await listed())[0]?.state).not.toBe('damaged');
});

test('two hosts that add one file at once list it once, whole', async () => {
  const other = await startBrowserHost(['--root', folder], undefined, at('data'));
  try {
    const pages = [page, await openPage(other)];
    for (const variant of ['one', 'two', 'three']) {
      writeTrace(at(`${variant}.db`), variant);
      const added = await Promise.all(
        pages.flatMap((each) =>
          [1, 2].map(() => each.call('library.add', { path: at(`${variant}.db`) })),
        ),
      );
      const ids = added.map((result) => successOf(result).investigation.id);
      expect(new Set(ids).size).toBe(1);
    }
    const entries = await listed();
    expect(entries).toHaveLength(3);
    for (const { name, path } of entries) {
      expect(readFileSync(path).equals(readFileSync(at(name)))).toBe(true);
    }
    expect(readdirSync(at('data/files'))).toHaveLength(3);
  } finally {
    await other.stop(true);
  }
});

describe('copies of an older version', () => {
  test('stay where they are, and are our own', async () => {
    const { investigation } = await add(make('a.db'), true);
    const home = basename(dirname(investigation.path));
    await host.stop(true);
    mkdirSync(at('data/uploads'));
    renameSync(at('data/files', home), at('data/uploads', home));
    const path = at('data/uploads', home, 'a.db');
    const catalogue = new DatabaseSync(at('data/library.db'));
    catalogue
      .prepare("UPDATE investigation SET path = ?, storage = 'referenced' WHERE id = ?")
      .run(path, investigation.id);
    catalogue.close();
    await restart();
    await expect.poll(async () => (await listed())[0]?.storage).toBe('copied');
    expect(await page.call('trace.open', { id: investigation.id })).toMatchObject({
      value: { investigation: { path } },
    });
  });
});

test('a removed copy goes to the trash of the system', async () => {
  const { investigation } = await add(make('a.db'), true);
  const { id, path } = investigation;
  successOf(await page.call('library.remove', { id, trashFile: false }));
  await expect.poll(() => existsSync(path)).toBe(false);
  const trash = `${at('data')}-home/Trash`;
  expect(readdirSync(join(trash, 'files'))).toEqual(['a.db']);
  expect(readFileSync(join(trash, 'info/a.db.trashinfo'), 'utf8')).toContain(`Path=${path}\n`);
});

test('a link to itself and what may not be read are refused in one sentence', async () => {
  symlinkSync(at('loop.db'), at('loop.db'));
  const loop = await page.call('library.add', { path: at('loop.db'), copy: true });
  expect(loop).toMatchObject({
    error: { message: expect.stringContaining('leads back to itself') },
  });
  const through = await page.call('library.add', { path: at('loop.db', 'x.db') });
  expect(through).toMatchObject({ ok: false });
  expect(existsSync(at('data/files')) ? readdirSync(at('data/files')) : []).toEqual([]);
});

describeWith(['root', 'notWindows'], 'a full disk', () => {
  let disk: string;

  beforeEach(async () => {
    await host.stop();
    disk = at('disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]);
    host = await startBrowserHost(['--root', folder], undefined, join(disk, 'data'));
    page = await openPage(host);
  });
  afterEach(async () => {
    await host.stop();
    execFileSync('umount', [disk]);
  });

  test('takes no copy, keeps no part of it, and says what to do', async () => {
    writeTrace(at('big.db'), 'big');
    const database = new DatabaseSync(at('big.db'));
    database.exec('CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(15000000))');
    database.close();
    const path = at('big.db');
    const refused = await page.call('library.add', { path });
    expect(refused).toMatchObject({
      error: { code: 'disk-full', message: expect.stringMatching(/free disk space and try again/) },
    });
    expect(readdirSync(join(disk, 'data/files'))).toEqual([]);
    const sent = await page.upload('big.db', readFileSync(path));
    expect(sent).toMatchObject({ error: { code: 'disk-full' } });
    expect(readdirSync(join(disk, 'data/files'))).toEqual([]);
    expect(await listed()).toEqual([]);
  });
});
