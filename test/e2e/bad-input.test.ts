import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { largeTrace } from '../support/large-trace.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { describeWith } from '../support/requirements.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

describeWith(['chromium'], 'bad input in the app', () => {
  let app: AppPage;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-bad-'));
    app = await openAppPage({
      args: ['--root', folder, '--root', join(tmpdir(), 'stalltrace-bench')],
    });
    await app.page.getByRole('row', { name: /Sample/ }).waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function openPath(path: string): Promise<void> {
    await app.page.getByLabel('Path on the machine').fill(path);
    await app.page.keyboard.press('Enter');
  }

  test.each([
    ['empty.db', '', /empty/i],
    ['pointer.db', 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n', /LFS/],
    ['notes.txt', 'hello '.repeat(300), /not|no trace/i],
    ['cut.db', `SQLite format 3\0${'\0'.repeat(40)}`, /truncated|cut|incomplete|damaged/i],
  ])('%s: one sentence, and the library stays', async (name, content, sentence) => {
    writeFileSync(join(folder, name), content);
    await openPath(join(folder, name));
    const alert = app.page.getByRole('alert').filter({ hasText: name });
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(sentence);
    expect(await app.page.getByRole('row', { name: /Sample/ }).isVisible()).toBe(true);
    expect(await app.page.getByRole('row', { name: new RegExp(name) }).count()).toBe(0);
  });

  test('a dropped file that is no trace is refused in the same way', async () => {
    const transfer = await app.page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['hello'.repeat(500)], 'dropped.db'));
      return data;
    });
    await app.page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    await app.page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await app.page.getByRole('alert').filter({ hasText: 'dropped.db' }).waitFor();
  });

  test('names made of markup and control characters are text everywhere', async () => {
    const path = join(folder, 'hostile.db');
    makeIngeroDatabase(path, '0.8.1', {
      events: [1, 2, 3].map((second) => ({
        timestampNs: second * 1e9,
        pid: 7,
        source: 1,
        op: 7,
        durationNs: 50_000_000,
        arg0: 419_430_400,
        arg1: 1,
      })),
      sql: `
        UPDATE ops SET name = '${HOSTILE.replaceAll("'", "''")}' WHERE source_id = 1 AND op_id = 7;
        INSERT OR REPLACE INTO process_names VALUES (7, '${HOSTILE.replaceAll("'", "''")}' || char(27) || '[31m' || char(8238), 0);
        UPDATE sessions SET gpu_model = '${HOSTILE.replaceAll("'", "''")}';`,
    });
    await openPath(path);
    const { page } = app;
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await expect.poll(() => page.locator('body').textContent()).toContain(HOSTILE);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('button', { name: /slowest/i }).click();
    // A picture without a source says so, if it came to be one.
    await page.waitForTimeout(300);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
    await page.getByRole('button', { name: /Library/ }).click();
  });

  test('a long import shows its progress and can be cancelled', async () => {
    const { page } = app;
    await openPath(largeTrace(2_000_000));
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(1);
    await cancel.click();
    await cancel.waitFor({ state: 'detached' });
    expect(await page.getByRole('row', { name: /2000000/ }).count()).toBe(0);
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});
