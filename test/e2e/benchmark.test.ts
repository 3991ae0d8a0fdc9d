import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { dropFile } from '../support/page/drop-file.ts';
import { samplePath } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

const NAME = 'stalltrace-benchmark.json';
const resultPath = join(root, 'test/fixtures/benchmark', NAME);
const resultText = readFileSync(resultPath, 'utf8');

describeWith(['chromium'], 'the benchmark script, from the trace to its result', () => {
  let app: AppPage;
  let folder: string;
  const dialog = () => app.page.getByRole('dialog', { name: 'Benchmark result' });
  const close = async () => {
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-benchmark-'));
    copyFileSync(resultPath, join(folder, NAME));
    app = await openAppPage({ args: [samplePath, '--root', folder] });
    // From now on, so that none is asked for before the browser has heard that the test answers.
    app.page.on('filechooser', () => undefined);
    await app.page.getByRole('tab', { name: 'Overview' }).waitFor();
    await app.page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const drop = (name: string, text: string) => dropFile(app.page, name, text);

  async function expectSaved(press: () => Promise<unknown>): Promise<void> {
    const [download] = await Promise.all([app.page.waitForEvent('download'), press()]);
    expect(download.suggestedFilename()).toBe('stalltrace-benchmark.py');
    const script = readFileSync(await download.path(), 'utf8');
    expect(script).toMatch(/^#!\/usr\/bin\/env python3\n[\s\S]*^WORKERS = \[\d/m);
  }

  test('is saved from beside the findings, and by its command', async () => {
    const { page } = app;
    const section = page.getByRole('region', { name: 'Benchmark script' });
    await expect.poll(() => section.textContent()).toContain('you run on the host of the job');
    await expectSaved(() => section.getByRole('button').click());
    await page.keyboard.press('ControlOrMeta+KeyK');
    await page.keyboard.type('benchmark script');
    await expectSaved(() => page.keyboard.press('Enter'));
  });

  test('its result is shown where it is dropped: best, current, and the loop without loading', async () => {
    await drop(NAME, resultText);
    await dialog().getByText('Best: 2 workers').first().waitFor();
    const best = dialog().getByRole('row', { name: /2 workers best/ });
    expect(await best.textContent()).toMatch(/149.*128.*188.*1\.39×/s);
    const current = dialog().getByRole('row', { name: /1 worker current/ });
    expect(await current.textContent()).toContain('1.00×');
    expect(await dialog().getByRole('row').count()).toBe(1 + 6);
    const said = await dialog().textContent();
    expect(said).toContain('overlap with it: the difference may be chance');
    expect(said).toContain('CUDA could not be used');
    const chart = dialog().getByRole('img', { name: /^Samples a second by setting\. Best:/ });
    expect(await chart.locator('rect.bar').count()).toBe(6);
    const widths = await chart
      .locator('rect.bar')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
    // The longest of the real ones is the best; the loop without loading is cut at the axis's end.
    expect(widths.indexOf(Math.max(...widths.slice(1)))).toBe(4);
    expect(widths[0]).toBeGreaterThan(Math.max(...widths.slice(1)));
    expect(said).toContain('is longer than the chart');
  });

  test('is readable in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await seriousFindings(app.page), colorScheme).toEqual([]);
    }
  });

  test('is copied as a Markdown table, by key; Escape closes it and the trace is still there', async () => {
    expect(await app.page.evaluate('document.activeElement.textContent')).toBe('Copy as Markdown');
    await app.page.keyboard.press('Enter');
    await dialog().getByText('Copied.').waitFor();
    const copied = String(await app.page.evaluate('window.copied'));
    expect(copied).toMatch(/^\| 2 workers \(\*\*best\*\*\) \| 149 \| 128 \| 188 \| 1\.39× \|$/m);
    expect(copied).toContain('`train:make_dataset`');
    await close();
    expect(await app.page.getByRole('tab', { name: 'Overview' }).isVisible()).toBe(true);
  });

  test('is opened by path and by the Open button, and does not enter the library', async () => {
    const { page } = app;
    await page.getByRole('button', { name: /Library/ }).click();
    await page.getByLabel('Path on the machine').fill(join(folder, NAME));
    await page.keyboard.press('Enter');
    await dialog().getByText('Best: 2 workers').first().waitFor();
    await close();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.keyboard.press('ControlOrMeta+KeyO'),
    ]);
    await chooser.setFiles(resultPath);
    await dialog().getByText('Best: 2 workers').first().waitFor();
    await close();
    expect(await page.getByRole('row', { name: /benchmark/ }).count()).toBe(0);
    expect(await page.getByRole('alert').filter({ hasText: NAME }).count()).toBe(0);
  });

  test.each([
    ['wrong-type.json', resultText.replace('"batchSize": 16', '"batchSize": "16"'), /batchSize/],
    ['nan.json', resultText.replace(/"minPerSecond": [\d.]+/, '"minPerSecond": NaN'), /not JSON/],
    ['huge.json', `${resultText}${' '.repeat(2_000_000)}`, /too large/],
    ['cut.json', resultText.slice(0, 300), /not JSON/],
  ])('%s: one sentence, dropped or by path', async (name, text, why) => {
    const { page } = app;
    writeFileSync(join(folder, name), text);
    for (const open of [
      () => drop(name, text),
      async () => {
        await page.getByLabel('Path on the machine').fill(join(folder, name));
        await page.keyboard.press('Enter');
      },
    ]) {
      await open();
      const alert = page.getByRole('alert').filter({ hasText: name });
      await alert.waitFor();
      expect(await alert.textContent()).toMatch(why);
      await alert.getByRole('button', { name: 'Dismiss' }).click();
      await alert.waitFor({ state: 'detached' });
    }
    expect(await dialog().count()).toBe(0);
  });

  test('long and hostile names are text, and nothing of it is wider than the window', async () => {
    const hostile = {
      ...JSON.parse(resultText),
      dataset: `<img src=x onerror="window.broken=1">\u202e${'x'.repeat(900)}`,
      failed: [{ workers: 2, pinMemory: true, persistentWorkers: true, error: 'e'.repeat(2_000) }],
    };
    await drop('hostile.json', JSON.stringify(hostile));
    await dialog().getByText('1 setting failed').waitFor();
    expect(await dialog().locator('img[src]').count()).toBe(0);
    expect(await app.page.evaluate('window.broken')).toBeUndefined();
    const overflow = await dialog()
      .locator('.body')
      .evaluate((body) => body.scrollWidth - body.clientWidth);
    expect(overflow).toBe(0);
    await close();
  });

  test('another JSON file gets the sentence of a file that is no trace', async () => {
    await drop('other.json', `{"format": "other", "text": "${'x'.repeat(600)}"}`);
    const alert = app.page.getByRole('alert').filter({ hasText: 'other.json' });
    await alert.waitFor();
    expect(await alert.textContent()).not.toMatch(/benchmark/);
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});
