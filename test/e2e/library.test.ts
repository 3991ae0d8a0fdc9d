import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openPage } from '../support/page/browser-page.ts';
import { describeWith } from '../support/requirements.ts';

const MS = 1_000_000;

/** A small trace whose first call takes `ms`: other bytes for every length. */
function makeTrace(path: string, ms: number): string {
  const event = { pid: 7, source: 1, op: 5, comm: 'trainer' };
  makeIngeroDatabase(path, '0.10.0', {
    events: [1, 2, 3].map((at) => ({
      ...event,
      timestampNs: at * 100 * MS,
      durationNs: at === 1 ? ms * MS : MS,
    })),
  });
  return path;
}

describeWith(['chromium'], 'the library', () => {
  let app: AppPage;
  let page: Page;
  let folder: string;
  const file = (name: string) => join(folder, name);
  const row = (name: string | RegExp): Locator => page.getByRole('row', { name });
  const names = () => page.getByRole('grid').locator('tbody .name-line > .link').allTextContents();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-library-'));
    app = await openAppPage({ args: ['--root', folder] });
    page = app.page;
    await row(/Sample/).waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function drop(...paths: string[]): Promise<void> {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open files…' }).click();
    await (await chooser).setFiles(paths);
  }

  async function menu(name: RegExp, item: string): Promise<void> {
    await row(name).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
  }

  /** Files are hashed in the background; what moves before that is known by its size only. */
  async function waitForHash(name: string): Promise<void> {
    const other = await openPage(app.host, await app.host.nextLink());
    const hashOf = async () => {
      const listed = await other.call('library.list', {});
      return listed.ok && listed.value.find((entry) => entry.name === name)?.sha256;
    };
    await expect.poll(hashOf).toMatch(/^[0-9a-f]{64}$/);
  }

  const toast = (text: string | RegExp) => page.getByText(text).first().waitFor();

  test('several files are added, the broken one is named', async () => {
    writeFileSync(file('broken.db'), 'no database at all, whatever it is called');
    await drop(makeTrace(file('slow.db'), 80), file('broken.db'), makeTrace(file('fast.db'), 2));
    await toast('2 files added to the library.');
    await page.getByText(/^broken\.db: /).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await expect.poll(names).toEqual(expect.arrayContaining(['fast.db', 'slow.db']));
  });

  test('each of several broken files is named with its reason, and what was there', async () => {
    writeFileSync(file('other.bin'), 'nor this one');
    await drop(file('broken.db'), file('other.bin'), file('fast.db'));
    await page.getByText('2 files could not be added:').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^broken\.db: / })
      .waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^other\.bin: / })
      .waitFor();
    await toast('There already: fast.db.');
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
  });

  test('the same bytes under another name are recognised', async () => {
    makeTrace(file('again.db'), 80);
    await drop(file('again.db'));
    await toast(/In the library already, as “slow\.db”/);
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: /Library/ }).click();
    expect(await names()).not.toContain('again.db');
  });

  test('an entry is renamed in place, tagged, and given a verdict', async () => {
    await row(/slow\.db/).click();
    await page.keyboard.press('F2');
    await page.getByLabel('New name of slow.db').fill('four workers, four CPUs');
    await page.keyboard.press('Enter');
    await row(/four workers/).waitFor();
    await row(/four workers/).click();
    await page.keyboard.press('KeyT');
    await page.keyboard.type('4090, before the fix');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The focus is back on the row.
    await page.keyboard.press('KeyV');
    await page.getByLabel(/INPUT-BOUND/).check();
    await page.getByLabel('In one line').fill('workers trample each other');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(() => row(/four workers/).textContent())
      .toMatch(/4090.*before the fix.*INPUT-BOUND/s);
  });

  test('the search finds words of the verdict, tags and processes, and says where', async () => {
    const search = page.getByRole('searchbox');
    await search.fill('tramp');
    await expect.poll(names).toEqual(['four workers, four CPUs']);
    expect(await row(/four workers/).textContent()).toMatch(/verdict: .*tramp/);
    await search.fill('trainer');
    await expect
      .poll(async () => (await names()).sort())
      .toEqual(['fast.db', 'four workers, four CPUs']);
    await search.fill('"; DROP TABLE * NEAR(');
    await page.getByText('No investigation fits.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await row(/Sample/).waitFor();
  });

  test('tags narrow, columns sort, keys move', async () => {
    await page.getByRole('button', { name: /^4090/, pressed: false }).first().click();
    expect(await names()).toEqual(['four workers, four CPUs']);
    await page.getByRole('button', { name: /^4090/, pressed: true }).click();
    await page.getByRole('button', { name: 'Name' }).click();
    await expect
      .poll(async () => (await names()).slice(0, 2))
      .toEqual(['fast.db', 'four workers, four CPUs']);
    await row(/fast\.db/).click();
    await page.keyboard.press('ArrowDown');
    expect(await row(/four workers/).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toBe('four workers, four CPUs');
    await page.getByRole('button', { name: /Library/ }).click();
  });

  test('a removed entry comes back with what it had', async () => {
    await row(/four workers/).click();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(names).not.toContain('four workers, four CPUs');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(() => row(/four workers/).textContent())
      .toMatch(/before the fix.*INPUT-BOUND/s);
  });

  test('a moved file is shown as missing and found again', async () => {
    await page.getByLabel('Path on the machine').fill(makeTrace(file('referenced.db'), 33));
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: /Library/ }).click();
    await waitForHash('referenced.db');
    renameSync(file('referenced.db'), file('moved.db'));
    await page.reload();
    await expect.poll(() => row(/referenced\.db/).textContent()).toContain('missing');
    await menu(/referenced\.db/, 'Locate the file…');
    await page.getByRole('dialog').getByText('Where is the file').waitFor();
    await page.keyboard.press('Escape');
    await row(/referenced\.db/)
      .getByRole('button', { name: 'referenced.db', exact: true })
      .click();
    const banner = page.getByText(/is not at .* any more/);
    await banner.waitFor();
    await page.getByRole('button', { name: 'Locate the file…' }).click();
    const path = page.getByRole('dialog').getByLabel('Path on the machine Stalltrace runs on');
    await path.fill('nowhere.db');
    await page.getByRole('button', { name: 'Use this file' }).click();
    await page.getByText(/was taken from .*, where Stalltrace was started/).waitFor();
    await path.fill(makeTrace(file('other.db'), 44));
    await page.getByRole('button', { name: 'Use this file' }).click();
    await page.getByRole('button', { name: 'Use it anyway' }).waitFor();
    await path.fill(`"${file('moved.db')}"`);
    // What was said of the other path does not let this one pass unseen.
    await expect.poll(() => page.getByRole('button', { name: 'Use it anyway' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use this file' }).click();
    await toast(/from now on/);
    expect(await banner.count()).toBe(0);
    await expect.poll(() => row(/referenced\.db/).textContent()).not.toContain('missing');
  });

  test('a saved .stalltrace file says before what it holds, and after that it is on its way', async () => {
    await row(/four workers/).click({ button: 'right' });
    const item = page.getByRole('menuitem', { name: 'Save as .stalltrace…' });
    expect(await item.textContent()).toContain('host names, paths, arguments');
    const download = page.waitForEvent('download');
    await item.click();
    const name = (await download).suggestedFilename();
    await toast(`Download started: ${name}.`);
  });

  test('the search finds what is written in one piece, and machines; a whole head sorts', async () => {
    await page.getByRole('searchbox').fill('before the fix');
    await expect.poll(names).toEqual(['four workers, four CPUs']);
    await page.getByRole('searchbox').fill('fast.d');
    await expect.poll(names).toEqual(['fast.db']);
    await page.getByRole('searchbox').fill('stalltrace');
    await expect.poll(() => row(/Sample/).textContent()).toMatch(/format: Stalltrace/);
    await page.getByRole('searchbox').fill('');
    const head = page.getByRole('columnheader', { name: 'Size' });
    await head.click({ position: { x: 3, y: 3 } });
    expect(await head.getAttribute('aria-sort')).not.toBeNull();
  });

  test('a trace that nobody opened has its verdict, and more can be dropped', async () => {
    await expect.poll(() => row(/fast\.db/).textContent()).toMatch(/CANNOT TELL/);
    const place = page.getByRole('region', { name: 'Add traces' });
    await place.getByRole('button', { name: 'Choose files…' }).waitFor();
  });

  test('screen, menu and dialogs have no serious finding of axe-core', async () => {
    await row(/fast\.db/).click({ button: 'right' });
    expect(await seriousFindings(page), 'menu').toEqual([]);
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    expect(await seriousFindings(page), 'dialog').toEqual([]);
    await page.keyboard.press('Escape');
    expect(await seriousFindings(page), 'list').toEqual([]);
    app.expectNoComplaints();
  });
});
