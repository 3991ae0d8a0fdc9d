import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { builtFile, root } from '../support/built.ts';
import { startBrowserHost } from '../support/page/browser-host.ts';
import { openPage } from '../support/page/browser-page.ts';

let folder: string;
let data: string;
const at = (...names: string[]) => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-killed-'));
  data = at('data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A trace like no other. */
function make(number: number): string {
  const path = at(`${number}.db`);
  makeIngeroDatabase(path, '0.16.0', { sql: `CREATE TABLE t${1000 + number} (x)` });
  return path;
}

/** Adds the file; the number of steps it took, `undefined` where it was killed before its end. */
function add(path: string, killAt: number): number | undefined {
  const script = join(root, 'test/fixtures/killed-add/add.ts');
  const build = dirname(dirname(builtFile('main/cli.js')));
  const args = ['--no-warnings', script, build, data, path, String(killAt)];
  // What a killed process leaves in the temporary folder goes with the test's own, and is no work for the next.
  const env = { ...process.env, TMPDIR: mkdtempSync(at('tmp-')) };
  const { status, signal, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (signal === 'SIGKILL') return undefined;
  expect(status).toBe(0);
  return Number(stdout);
}

interface Row {
  readonly path: string;
  readonly sha256: string;
}

/** What is listed, read without the code under test. */
function listed(): Row[] {
  const catalogue = new DatabaseSync(join(data, 'library.db'));
  try {
    const rows = catalogue.prepare(
      "SELECT path, sha256 FROM investigation WHERE storage = 'copied'",
    );
    return rows.all().map(({ path, sha256 }) => ({
      path: join(data, String(path)),
      sha256: String(sha256),
    }));
  } finally {
    catalogue.close();
  }
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What lies in the store and nobody lists. */
function orphans(): string[] {
  const known = new Set(listed().map(({ path }) => dirname(path)));
  return readdirSync(join(data, 'files')).filter((name) => !known.has(join(data, 'files', name)));
}

test('a host killed at any step of adding a copy lists no half file and leaves nothing for ever', async () => {
  // The first is the only one whose size no other file has, so that nothing is hashed.
  add(make(-1), 0);
  const steps = add(make(0), 0) ?? 0;
  expect(steps).toBeGreaterThan(15);
  const outcomes = new Set<number>();
  let tries = 0;
  // Where an answer comes in two messages one time and in one another, one may get to its end sooner or later.
  for (let isOver = false; tries < steps || !isOver; ) {
    const before = listed().length;
    tries++;
    isOver = add(make(tries), tries) !== undefined;
    outcomes.add(listed().length - before);
    for (const { path, sha256 } of listed()) expect(hashOf(path)).toBe(sha256);
  }
  expect([...outcomes].sort()).toEqual([0, 1]);
  expect(orphans().length).toBeGreaterThan(1);
  for (const name of orphans()) {
    const then = new Date(Date.now() - 3_600_000);
    utimesSync(join(data, 'files', name), then, then);
  }
  const host = await startBrowserHost(['--root', folder], undefined, data);
  try {
    const page = await openPage(host);
    await expect.poll(orphans).toEqual([]);
    for (let number = -1; number <= tries; number++) {
      const path = at(`${number}.db`);
      expect(await page.call('library.add', { path, copy: true })).toMatchObject({ ok: true });
    }
    expect(listed()).toHaveLength(tries + 2);
    for (const { path, sha256 } of listed()) expect(hashOf(path)).toBe(sha256);
    expect(existsSync(join(data, 'scratch')) ? readdirSync(join(data, 'scratch')) : []).toEqual([]);
  } finally {
    await host.stop();
  }
}, 300_000);
