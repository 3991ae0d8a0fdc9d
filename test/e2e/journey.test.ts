import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** The first hour of a new user, in order: each step stands on the one before. */
describeWith(['chromium', 'sharedData'], 'the journey through the published investigation', () => {
  let app: AppPage;
  let folder: string;
  let published: string;
  let panel: Locator;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-journey-'));
    published = join(folder, 'dataloader_starvation.db');
    copyFileSync(join(sharedData, 'ingero/dataloader_starvation.db'), published);
    app = await openAppPage({ args: ['--root', folder] });
    panel = app.page.getByRole('complementary', { name: 'Why slow' });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the library shows the sample, labelled synthetic', async () => {
    const sample = app.page.getByRole('row', { name: /Sample/ });
    // It is listed at once, and described when it has been read.
    await expect.poll(() => sample.textContent()).toMatch(/sample.*synthetic/s);
    // Somebody who has nothing yet is led to it, and from there back to where a file is opened.
    await app.page.getByRole('button', { name: /^Open the sample/ }).click();
    await app.page.getByRole('region', { name: 'Verdict' }).waitFor();
    await app.page.getByRole('button', { name: /Library/ }).click();
    await app.page.getByRole('heading', { name: 'Drop a trace here' }).waitFor();
    expect(app.page.url()).not.toContain('token');
  });

  test('the published file opens by its path, into figures of its own', async () => {
    const { page } = app;
    await page.getByLabel('Path on the machine').fill(published);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    const overview = page.getByRole('tabpanel', { name: 'Overview' });
    const text = async () => (await overview.textContent()) ?? '';
    await expect.poll(text).toContain('169,055');
    expect(await text()).toMatch(/Found by Ingero/);
    const copies = page.getByRole('row', { name: /cudaMemcpyAsync H2D · > 256 MiB/ });
    expect(await copies.textContent()).toMatch(/8.*61\.86 ms.*65\.00 ms/s);
  });

  test('what was recorded, and on what, has a tab of its own', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Recording' }).click();
    const about = page.getByRole('tabpanel', { name: 'Recording' });
    await expect.poll(() => about.textContent()).toMatch(/NVIDIA GeForce RTX 4090.*191,835/s);
    await page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('the roles are named with their reasons', async () => {
    const row = app.page.getByRole('row', { name: /^2254 / });
    expect(await row.textContent()).toMatch(/DataLoader worker.*forked by 2233/s);
  });

  test('a click on the slow copy on the timeline explains it', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('row', { name: /CUDA calls/ }).waitFor();
    await page.keyboard.press('KeyN');
    await page.keyboard.press('KeyF');
    await expect.poll(() => panel.textContent()).toContain('65.00 ms');
    await openHowKnown(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.textContent()).toContain('Pick a CUDA call');
    await clickTrack(/CUDA calls/);
    await expect.poll(() => panel.textContent()).toContain('65,000,369');
  });

  /** Clicks the middle of the canvas at the height of a track. */
  async function clickTrack(name: RegExp): Promise<void> {
    const { page } = app;
    await rowsSettled(page);
    const track = await page.getByRole('row', { name }).boundingBox();
    const grid = await page.getByRole('tabpanel', { name: 'Timeline' }).boundingBox();
    if (track === null || grid === null) throw new Error('the timeline is not on screen');
    const chartLeft = track.x + track.width;
    await page.mouse.click((chartLeft + grid.x + grid.width) / 2, track.y + track.height / 2);
  }

  test('the panel says what this file proves, each figure with its basis', async () => {
    const text = (await panel.textContent()) ?? '';
    expect(text).toMatch(/400\.0 MiB · H2D/);
    expect(text).toMatch(/6\.453 GB\/s\s*inferred/);
    expect(text).toMatch(/pageable\s*inferred/);
    expect(text).toMatch(/The slowest of 8/);
    expect(text).toMatch(/100.%\s*Not recorded/);
    expect(text).toMatch(/forked 49\.77 s after this call ended/);
  });

  test('and what it cannot tell', async () => {
    const list = panel.getByRole('region', { name: /cannot tell/i });
    expect((await list.textContent())?.length).toBeGreaterThan(100);
    // No figure of the article that the file does not hold.
    const everything = (await panel.textContent()) ?? '';
    expect(everything).not.toMatch(/124×|301 ms|2\.9 s|1,638/);
  });

  test('a call found in the operations shows the driver call inside it', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page
      .getByRole('row', { name: /cudaDeviceSync/ })
      .getByRole('button')
      .first()
      .click();
    await expect.poll(() => panel.textContent()).toContain('cudaDeviceSync');
    expect(await panel.textContent()).toMatch(/Nested calls.*cuCtxSynchronize/s);
  });

  test('back in the library the file is listed, and says so when it has gone', async () => {
    const { page } = app;
    await page.getByRole('button', { name: /Library/ }).click();
    const entry = page.getByRole('row', { name: /dataloader_starvation\.db/ });
    await entry.waitFor();
    expect(await entry.textContent()).toContain('RTX 4090');
    rmSync(published);
    await page.reload();
    await expect.poll(() => entry.textContent()).toMatch(/missing/);
    await entry.getByRole('button').first().click();
    await expect
      .poll(() => page.getByRole('alert').first().textContent())
      .toContain('dataloader_starvation.db');
  });

  test('the page never threw, logged an error or broke its policy', () => {
    app.expectNoComplaints();
    expect(existsSync(published)).toBe(false);
  });
});
