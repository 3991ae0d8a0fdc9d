/// <reference lib="dom" />
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTrace } from '../../src-main/analysis/testing/build-trace.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { describeWith } from '../support/requirements.ts';

/** The sample that users have: one of its steps takes far longer than the others. */
const environment = { STALLTRACE_SAMPLE: '' };

async function openSample(app: AppPage): Promise<void> {
  await app.page.getByRole('button', { name: /^Sample/ }).click();
  await app.page.getByRole('list', { name: 'Rows of the picture' }).waitFor();
}

const widthOf = async (element: Locator) => (await element.boundingBox())?.width ?? 0;

/** How many of them do not show all of their text. */
const cut = (elements: Locator) =>
  elements.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);

describeWith(['chromium'], 'a window of 2560 × 1440', () => {
  let app: AppPage;
  beforeAll(async () => {
    app = await openAppPage({ width: 2560, height: 1440, environment });
    await openSample(app);
  });
  afterAll(() => app.close());

  test('no name of a row is cut while there is room', async () => {
    const { page } = app;
    const names = page.getByRole('list', { name: 'Rows of the picture' }).locator('.row');
    await expect.poll(() => names.filter({ hasText: 'worker' }).count()).toBeGreaterThan(0);
    await expect.poll(() => cut(names)).toBe(0);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('row', { name: /worker 3/ }).waitFor();
    await expect.poll(() => cut(page.locator('.timeline [data-row] .name'))).toBe(0);
    await page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('the step that is far longer than the others is cut, and says how long it is', async () => {
    const figure = app.page.locator('.focus figure');
    expect(await figure.innerText()).toMatch(/longest 292\.2 ms; bars end at [\d.]+ ms/);
    const heights = await figure
      .getByRole('button')
      .evaluateAll((bars) =>
        bars.map((bar) => (bar.firstElementChild?.clientHeight ?? 0) / bar.clientHeight),
      );
    // Without a cut the step in the middle would be a tenth as high as the longest.
    const inOrder = heights.toSorted((a, b) => a - b);
    expect(inOrder[Math.floor(inOrder.length / 2)]).toBeGreaterThan(0.15);
    const longest = figure.getByRole('button', { name: /^Step 16, 292\.2 ms/ });
    expect(await longest.innerText()).toBe('292.2 ms');
    expect(await widthOf(longest.locator('.stack'))).toBeGreaterThan(
      0.95 * (await widthOf(longest)),
    );
  });

  test('what matters leaves open the other tracks that there is room for', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('row', { name: /worker 3/ }).waitFor();
    await page.keyboard.press('KeyN');
    const rows = page.locator('.timeline [data-row]');
    await expect.poll(() => rows.first().innerText()).toContain('What matters here');
    await expect.poll(() => rows.filter({ hasText: 'worker 0' }).count()).toBe(1);
    const workers = page.locator('.timeline [data-row].group').filter({ hasText: 'DataLoader' });
    await workers.getByRole('button', { name: 'Collapse' }).click();
    await expect.poll(() => rows.filter({ hasText: 'worker 0' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('what shows a cause stands beside its fix', async () => {
    const [fix, evidence] = await app.page.locator('details[open] .side').all();
    const [left, right] = [await fix?.boundingBox(), await evidence?.boundingBox()];
    expect(right?.y).toBe(left?.y);
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    expect(await fix?.innerText()).toContain('# Replaces --workers 4.');
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});

describeWith(['chromium'], 'a window of 640 × 400, as 1280 × 800 at 200 % zoom is', () => {
  let app: AppPage;
  beforeAll(async () => {
    app = await openAppPage({ width: 1280, height: 800, zoom: 2, environment });
    await openSample(app);
  });
  afterAll(() => app.close());

  test('which investigation it is stays in sight', async () => {
    const name = app.page.getByRole('heading', { level: 1 });
    expect(await widthOf(name)).toBeGreaterThan(40);
  });

  test('the names of tracks leave most of it to the tracks', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const label = page.getByRole('row', { name: /CUDA calls/ }).first();
    await expect.poll(() => widthOf(label)).toBeGreaterThan(100);
    expect(await widthOf(label)).toBeLessThan(640 * 0.36);
  });

  test('what can be done with a note stays on its card', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.keyboard.press('KeyN');
    await page.keyboard.press('KeyM');
    await page.getByLabel('Text of the note').fill('four workers');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('tab', { name: 'Notes' }).click();
    const card = page.locator('article').filter({ hasText: 'four workers' });
    const end = async (element: Locator) => {
      const box = await element.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    expect(await end(card.getByRole('button', { name: /^Delete/ }))).toBeLessThanOrEqual(
      await end(card),
    );
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});

describeWith(['chromium'], 'a window of 900 × 600', () => {
  let app: AppPage;
  beforeAll(async () => {
    app = await openAppPage({ width: 900, height: 600, environment });
  });
  afterAll(() => app.close());

  /** Whether all lines of its text are shown. */
  const isWhole = (element: Locator) =>
    element.evaluate(
      (one) => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth,
    );

  test('shows names in full, in the list and above the trace', async () => {
    const { page } = app;
    const name = page.getByRole('button', { name: /^Sample: a DataLoader that starves the GPU/ });
    await name.waitFor();
    await expect.poll(() => isWhole(name)).toBe(true);
    await openSample(app);
    const title = page.getByRole('heading', { level: 1 });
    expect(await title.innerText()).toBe('Sample: a DataLoader that starves the GPU');
    await expect.poll(() => isWhole(title)).toBe(true);
    expect(await widthOf(title)).toBeGreaterThan(100);
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});

describeWith(['chromium'], 'a trace without a job', () => {
  let app: AppPage;
  const path = join(mkdtempSync(join(tmpdir(), 'stalltrace-no-job-')), 'disk.trace.db');
  beforeAll(async () => {
    const requests = [{ startNs: 0, durationNs: 1_000 }];
    const written = writeTraceFile(path, buildTrace({ rows: { block_io: requests } }));
    if (!written.ok) throw new Error(written.error.message);
    app = await openAppPage({ args: ['--root', dirname(path)] });
    await app.page.getByLabel('Path on the machine').fill(path);
    await app.page.keyboard.press('Enter');
  });
  afterAll(async () => {
    await app.close();
    rmSync(dirname(path), { recursive: true });
  });

  test('has no empty picture of its steps', async () => {
    const { page } = app;
    await page.getByText('CANNOT TELL', { exact: true }).waitFor();
    expect(await page.locator('.focus').isVisible()).toBe(false);
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});
