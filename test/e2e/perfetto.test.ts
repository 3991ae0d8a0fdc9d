import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readPerfetto } from '../../src-main/report/testing/read-perfetto.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openTimeline, samplePath, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

const CHROMIUM_MS = 60_000;

describeWith(['chromium'], 'the timeline for Perfetto', () => {
  let timeline: TimelinePage;
  let dialog: Locator;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-perfetto-'));
    const path = join(folder, 'private run.db');
    copyFileSync(samplePath, path);
    const database = new DatabaseSync(path);
    database.exec(`UPDATE process SET name = '/home/ada/train.py'`);
    database.close();
    timeline = await openTimeline(path);
    dialog = timeline.page.getByRole('dialog', { name: 'Save as a Perfetto trace' });
  }, CHROMIUM_MS);
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(async () => {
    await timeline.app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open() {
    await timeline.page.getByRole('button', { name: 'Share' }).click();
    await timeline.page.getByRole('menuitem', { name: /Perfetto/ }).click();
    await dialog.waitFor();
  }
  async function save() {
    const waiting = timeline.page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    const download = await waiting;
    const name = download.suggestedFilename();
    await timeline.page.getByText(`Download started: ${name}.`).first().waitFor();
    await dialog.waitFor({ state: 'hidden' });
    return { name, file: readFileSync(await download.path()) };
  }

  test('is downloaded with its tracks and calls, without private words', async () => {
    await open();
    expect(await seriousFindings(timeline.page)).toEqual([]);
    const { name, file } = await save();
    expect(name).toBe('Stalltrace timeline.pftrace');
    expect(file.includes('ada')).toBe(false);
    const events = readPerfetto(file).tracks.flatMap((track) => track.events);
    const calls = events.filter(({ numbers }) => numbers['row of cuda_call'] !== undefined);
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.some((call) => call.name.startsWith('cudaMemcpy'))).toBe(true);
  });

  test('shows what is private where that is asked for', async () => {
    await open();
    await dialog.getByLabel('Hide host, user').uncheck();
    const { name, file } = await save();
    expect(name).toBe('private run timeline.pftrace');
    expect(file.includes('/home/ada/')).toBe(true);
    // What was chosen holds for one file.
    await open();
    expect(await dialog.getByLabel('Hide host, user').isChecked()).toBe(true);
    await timeline.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
});
