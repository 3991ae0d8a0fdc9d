import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { launchChromium } from '../support/page/chromium.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** An investigation from the import to the day one comes back to it, offline: each step stands on the one before. */
describeWith(['chromium', 'sharedData'], 'an investigation one comes back to', () => {
  let folder: string;
  let host: BrowserHost;
  let browser: Browser;
  let page: Page;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-investigation-'));
    copyFileSync(join(sharedData, 'ingero/dataloader_starvation.db'), join(folder, 'run.db'));
    browser = await launchChromium();
    host = await startBrowserHost(['--root', folder]);
    page = await openPage(host);
  });
  afterAll(async () => {
    await browser.close();
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A page that reaches its host and nothing else. */
  async function openPage({ link, port }: BrowserHost): Promise<Page> {
    const opened = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await opened.route('**', (route) => {
      const url = new URL(route.request().url());
      if (url.origin === `http://127.0.0.1:${port}` || url.protocol === 'blob:')
        return route.continue();
      elsewhere.push(url.href);
      return route.abort();
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await opened.goto(link);
    return opened;
  }

  const tab = (name: string) => page.getByRole('tab', { name });
  const panel = () => page.getByRole('complementary', { name: 'Why slow' });

  test('import: the file is copied into the library and opens', async () => {
    await page.getByLabel('copy this file into the library').check();
    await page.getByLabel('Path on the machine').fill(join(folder, 'run.db'));
    await page.keyboard.press('Enter');
    await tab('Timeline').click();
    await page.getByRole('row', { name: /CUDA calls/ }).waitFor();
    // The library has its own now.
    rmSync(join(folder, 'run.db'));
  });

  test('note: on the slowest copy, in Markdown', async () => {
    await page.keyboard.press('KeyN');
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyR');
    await page.keyboard.press('KeyM');
    await page.getByLabel('Text of the note').fill('**pageable**: ask for `pin_memory=True`');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Text of the note').waitFor({ state: 'detached' });
  });

  test('bookmark: its digit brings the place back', async () => {
    await page.keyboard.press('KeyB');
    await page.keyboard.press('Digit0');
    await page.keyboard.press('Digit1');
    await openHowKnown(page);
    await expect.poll(() => panel().textContent()).toContain('65,000,369');
  });

  test('flame: of the selected range, with the reason where there is no stack', async () => {
    await tab('Flame').click();
    const flame = page.getByRole('tabpanel', { name: 'Flame' });
    await expect.poll(() => flame.textContent()).toContain('65.00 ms');
  });

  test('report: the finding, with the note and without private words', async () => {
    await page.keyboard.press('Control+KeyE');
    const dialog = page.getByRole('dialog', { name: 'Report' });
    await dialog.getByRole('button', { name: 'Markdown', exact: true }).click();
    const source = () => dialog.getByRole('textbox', { name: 'Markdown' }).inputValue();
    await dialog.getByRole('checkbox', { name: /^Everything/ }).check();
    await expect.poll(source).toContain('65000369');
    await expect.poll(source).toContain('```mermaid');
    expect(await source()).toContain('pin_memory=True');
    expect(await source()).not.toContain(folder);
    await page.keyboard.press('Escape');
  });

  test('restart, with nothing but the host to reach', async () => {
    await tab('Timeline').click();
    await page.getByRole('button', { name: /Library/ }).click();
    await page.getByRole('row', { name: /run\.db/ }).waitFor();
    await page.close();
    await host.stop(true);
    host = await startBrowserHost([], undefined, host.dataFolder);
    page = await openPage(host);
    await page.getByRole('row', { name: /run\.db/ }).waitFor();
  });

  test('found: by a word of the note', async () => {
    await page.getByRole('searchbox').fill('pageab');
    const rows = page.locator('tbody tr[aria-rowindex]');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toMatch(/run\.db.*notes: .*pageab/s);
    await rows.click();
    await page.keyboard.press('Enter');
  });

  test('reopened: on the tab, at the call and with the notes as it was left', async () => {
    await expect.poll(() => tab('Timeline').getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => panel().textContent()).toContain('65,000,369');
    await page
      .getByRole('region', { name: 'Selected range' })
      .getByText('65.00 ms')
      .first()
      .waitFor();
    await tab('Notes').click();
    await page.getByRole('article', { name: /pageable/ }).waitFor();
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
