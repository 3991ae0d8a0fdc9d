import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';

/** Entries of the library compared by the app's host, of which one has lost its file. */
let folder: string;
let host: BrowserHost;
let page: BrowserPage;
const ids: number[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-entries-'));
  host = await startBrowserHost(['--root', folder]);
  page = await openPage(host);
  for (const release of ['0.8.1', '0.9.2', '0.10.0'] as const) {
    const path = join(folder, `${release}.db`);
    makeIngeroDatabase(path, release);
    const added = await page.call('library.add', { path, copy: false });
    if (!added.ok) throw new Error(added.error.message);
    ids.push(added.value.investigation.id);
  }
  rmSync(join(folder, '0.9.2.db'));
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('of two the one that is gone is told, not that the other was given up for it', async () => {
  const [first = 0, gone = 0] = ids;
  for (const pair of [
    { first, second: gone },
    { first: gone, second: first },
  ])
    expect(await page.call('library.compare', pair)).toMatchObject({
      ok: false,
      error: { code: 'file-missing', message: expect.stringContaining('0.9.2') },
    });
});

test('of many it is left out with a sentence, unless the others are compared with it', async () => {
  const [first = 0, gone = 0, last = 0] = ids;
  expect(await page.call('library.compareSeries', { ids: [first, gone, last] })).toMatchObject({
    ok: true,
    value: {
      leftOut: [expect.stringContaining('0.9.2')],
      series: { runs: [{ name: expect.stringContaining('0.8.1') }, {}] },
      markdown: expect.stringContaining('- Left out: '),
    },
  });
  expect(await page.call('library.compareSeries', { ids: [gone, first, last] })).toMatchObject({
    ok: false,
    error: { code: 'file-missing' },
  });
});
