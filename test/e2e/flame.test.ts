import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { noStacks } from '../../src-main/shared/model/stacks.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { samplePath } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['chromium'], 'the flame graph', () => {
  let app: AppPage;
  let page: Page;
  let details: Locator;
  let table: Locator;

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const order = (name: string) => page.getByRole('button', { name, exact: true });
  const graph = (name: RegExp) => page.getByRole('group', { name });
  const expectSelected = (text: string | RegExp) =>
    expect.poll(() => details.innerText()).toMatch(text);
  /** Clicks the middle of the box in `row` of the graph at `share` of its width. */
  async function at(row: number, share: number): Promise<{ x: number; y: number }> {
    const box = await graph(/^Flame graph/).boundingBox();
    if (box === null) throw new Error('the graph is not on screen');
    return { x: box.x + share * box.width, y: box.y + (row + 0.5) * 20 };
  }

  beforeAll(async () => {
    app = await openAppPage({ args: [samplePath] });
    page = app.page;
    details = page.getByRole('region', { name: 'Selected frame' });
    table = page.getByRole('region', { name: 'Functions' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('tab', { name: 'Flame' }).click();
    await graph(/^Flame graph/).waitFor();
  });

  test('opens on the CPU time of each role, side by side', async () => {
    expect(await page.getByLabel('Weight').inputValue()).toBe('cpu-samples');
    const byRole = page.getByRole('button', { name: 'By role' });
    expect(await byRole.getAttribute('aria-pressed')).toBe('true');
    await graph(/^Flame graph/).focus();
    await press('ArrowDown');
    await expectSelected(/^\d DataLoader workers\s+Kind\s+Role\s/);
    await order('Time order').click();
    expect(await byRole.isDisabled()).toBe(true);
    // Left to right is time, and the marks say when; a worker's stacks stand beside its parent's.
    const marks = page.locator('.moments span');
    await expect.poll(() => marks.first().innerText()).toMatch(/^\+\d/);
    const legend = page.getByRole('list', { name: 'Colours of the graph' });
    expect(await legend.innerText()).toMatch(/Python\s+Framework\s+Native/);
    await order('Left heavy').click();
    await page.getByLabel('Weight').selectOption('cuda-time');
    await page.locator('[aria-busy="false"] .scope:not(:has-text("sample"))').waitFor();
  });

  beforeEach(async () => {
    await order('Left heavy').click();
    await graph(/^Flame graph/).focus();
    await press('Escape', 'Escape');
    await expectSelected('Click a frame');
  });
  afterEach(() => app.expectNoComplaints());
  afterAll(() => app.close());

  test('shows the heaviest stacks first, by pointer and by keys, with readable names', async () => {
    await press('ArrowDown');
    await expectSelected(/<module>.*train\.py:104.*100 %/s);
    await press('ArrowDown', 'ArrowDown');
    await expectSelected(/to_device.*train\.py:62, 63, 64.*Python/s);
    await press('ArrowDown', 'ArrowDown');
    await expectSelected(
      /at::native::copy_\(at::Tensor&, at::Tensor const&, bool\).*Framework, native/s,
    );
    await press('ArrowUp', 'ArrowUp', 'ArrowRight');
    await expectSelected(/^item/);
    const { x, y } = await at(0, 0.5);
    await page.mouse.move(x, y);
    await expect
      .poll(() => page.locator('.tooltip').innerText())
      .toMatch(/<module>.*2,304 events/s);
    await page.mouse.click(x, y);
    await expectSelected('<module>');
  });

  test('zooms to a frame and back, and tells it to screen readers', async () => {
    const whole = page.getByRole('button', { name: 'Whole graph' });
    expect(await whole.isDisabled()).toBe(true);
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter');
    await expect.poll(() => whole.isDisabled()).toBe(false);
    // All of the width is item’s now.
    const { x, y } = await at(2, 0.05);
    await page.mouse.click(x, y);
    await expectSelected(/^item/);
    expect(await page.locator('.flame [aria-live=polite]').first().textContent()).toMatch(
      /^item, In train\.py:77, Kind Python, Total 1\.654 s/m,
    );
    await press('Escape');
    await expect.poll(() => whole.isDisabled()).toBe(true);
    await expectSelected(/^item/);
    const middle = await at(2, 0.3);
    await page.mouse.dblclick(middle.x, middle.y);
    await expect.poll(() => whole.isDisabled()).toBe(false);
    await press('Digit0');
    await expect.poll(() => whole.isDisabled()).toBe(true);
  });

  test('finds frames, says their share, and goes through them', async () => {
    await press('Slash');
    await page.keyboard.type('copy_kernel');
    await expect.poll(() => page.getByRole('toolbar').innerText()).toMatch(/1 function · 66\.4 %/);
    await press('Enter');
    await expectSelected(/copy_kernel_cuda/);
    await press('Escape');
    await expect.poll(() => page.getByLabel('Search frames').inputValue()).toBe('');
    await press('Escape');
  });

  test('shows callers and callees, and the functions as a table that sorts', async () => {
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'KeyC');
    await page.getByRole('heading', { name: 'Callers of to_device' }).waitFor();
    await page.getByRole('heading', { name: 'Callees of to_device' }).waitFor();
    await expectSelected(/^to_device/);
    await graph(/^Callers/).focus();
    await press('ArrowUp', 'ArrowUp');
    await expectSelected(/^train\n/);
    await table.getByRole('button', { name: 'Self' }).click();
    await expect
      .poll(() => table.locator('tbody tr').first().innerText())
      .toContain('cudaMemcpyAsync');
    expect(await table.getByRole('columnheader', { name: 'Self' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    await table.getByRole('button', { name: 'cudaStreamSynchronize' }).click();
    await page.getByRole('heading', { name: 'Callers of cudaStreamSynchronize' }).waitFor();
  });

  test('follows the range of the timeline, and clears it', async () => {
    const all = await page.locator('.scope').innerText();
    expect(all).toContain('Whole trace');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('img', { name: /^In view/ }).waitFor();
    await press('KeyN', 'KeyR');
    await page.getByRole('region', { name: 'Selected range' }).waitFor();
    await page.getByRole('tab', { name: 'Flame' }).click();
    await expect
      .poll(() => page.locator('.scope').innerText())
      .toMatch(/Range .*52\.20 ms with a stack/s);
    await page.getByRole('button', { name: 'Clear the range' }).click();
    await expect.poll(() => page.locator('.scope').innerText()).toBe(all);
  });

  test('says why a weight is missing, and of samples how often they were taken', async () => {
    await page.getByText('2 weights not in this trace').click();
    await page.getByText('Its stacks are not recorded.').waitFor();
    await page.getByLabel('Weight').selectOption('cpu-samples');
    await expect
      .poll(() => page.locator('.scope').innerText())
      .toContain('one sample every 20.41 ms');
    await page
      .getByLabel('Thread')
      .selectOption({ label: 'Pin-memory thread · pt_data_pin · tid 4191' });
    await expect
      .poll(() => page.locator('.scope').innerText())
      .toMatch(/\d+ samples? with a stack/);
    await page.getByLabel('Thread').selectOption({ label: 'All threads' });
    await page.getByLabel('Weight').selectOption('cuda-time');
  });

  test('gives what is not the user’s code to its caller', async () => {
    await order('My code only').click();
    await page.locator('.scope:not(:has-text("sample"))').waitFor();
    await page.locator('[aria-busy="false"] .scope').waitFor();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
    await expectSelected(/^to_device.*Python.*Self\s+3\.285 s/s);
    await order('My code only').click();
  });

  test('comes back as it was left', async () => {
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'KeyC');
    await page.getByLabel('Search frames').fill('torch');
    await page.getByRole('button', { name: /Library/ }).click();
    await page
      .getByRole('button', { name: /^Sample/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Callers of to_device' }).waitFor();
    expect(await page.getByLabel('Search frames').inputValue()).toBe('torch');
    await page.getByLabel('Search frames').fill('');
  });

  test.each(['light', 'dark'] as const)(
    'has no serious finding of axe-core, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await press('ArrowDown');
      expect(await seriousFindings(page), 'graph').toEqual([]);
      await order('Sandwich').click();
      await table.waitFor();
      expect(await seriousFindings(page), 'sandwich').toEqual([]);
    },
  );
});

/** The sample as a recorder without stacks would have written it. */
function writeWithoutStacks(path: string): void {
  const trace = simulateDataloaderStarvation();
  const tables = Object.entries(trace.tables).map(([name, table]) => {
    const { stack: _, ...columns } = table.columns as Record<string, unknown>;
    const note = 'This recorder takes no stacks.';
    const columnProvenance = { ...table.columnProvenance, stack: { kind: 'absent', note } };
    return [name, 'stack' in table.columns ? { ...table, columns, columnProvenance } : table];
  });
  const written = writeTraceFile(path, {
    ...trace,
    stacks: noStacks,
    tables: Object.fromEntries(tables),
  });
  if (!written.ok) throw new Error(written.error.message);
}

describeWith(['chromium'], 'the flame graph of a trace without stacks', () => {
  test('says why there is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stalltrace-flame-'));
    const path = join(folder, 'no-stacks.trace.db');
    writeWithoutStacks(path);
    const app = await openAppPage({ args: [path] });
    const { page } = app;
    await page.getByRole('tab', { name: 'Flame' }).click();
    await page.getByRole('heading', { name: 'This trace has no stacks to draw' }).waitFor();
    expect(await page.getByText('This recorder takes no stacks.').count()).toBeGreaterThan(0);
    expect(await seriousFindings(page)).toEqual([]);
    app.expectNoComplaints();
    await app.close();
    rmSync(folder, { recursive: true });
  });
});
