import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseMarkdown } from '../../src-main/markdown/tree.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { goToSlowest } from '../support/page/go-to-slowest.ts';
import { samplePath } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

const hostileNote =
  'seen in /home/mallory/run/train.py **twice**\n\n<img src=x onerror="window.broken=1">\n\n![p](https://elsewhere.test/p.png) @mallory';

describeWith(['chromium'], 'a report, from the panel to the file', () => {
  let app: AppPage;
  const dialog = () => app.page.getByRole('dialog', { name: 'Report' });
  const shown = () => dialog().getByRole('region', { name: 'The report as GitHub shows it' });
  const box = (name: RegExp) => dialog().getByRole('checkbox', { name });
  const source = async () => {
    await dialog().getByRole('button', { name: 'Markdown', exact: true }).click();
    return dialog().getByRole('textbox', { name: 'Markdown' }).inputValue();
  };

  beforeAll(async () => {
    app = await openAppPage({ args: [samplePath] });
    await goToSlowest(app.page);
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await panel
      .getByRole('button', { name: 'Report…' })
      .waitFor()
      .catch(async (thrown: unknown) => {
        // Seen once in a whole run, beside the captures of a page, and never again: then it tells why.
        throw new Error(`the panel says: ${await panel.innerText()}`, { cause: thrown });
      });
    await app.page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
  });
  afterAll(() => app.close());

  test('a note is written, the report opens by its key with the note in it', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.keyboard.press('KeyM');
    const note = page.getByRole('textbox', { name: 'Text of the note' });
    await note.fill(hostileNote);
    await note.press('ControlOrMeta+Enter');
    await note.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+KeyE');
    await shown().getByRole('heading', { name: 'Why slow: cudaMemcpyAsync H2D' }).waitFor();
    await expect.poll(() => shown().textContent()).toContain('This trace is synthetic');
    await shown().getByRole('heading', { name: 'Notes' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('what a note holds is text: nothing is loaded, run or linked', async () => {
    expect(await shown().locator('img, a, script, iframe, style').count()).toBe(0);
    await expect.poll(() => shown().textContent()).toContain('<img src=x onerror=');
    expect(await app.page.evaluate('window.broken')).toBeUndefined();
  });

  test('private words are hidden until the user says otherwise', async () => {
    const hidden = await source();
    expect(hidden).toContain('…/train.py **twice**');
    expect(hidden).not.toMatch(/mallory|simulated-host/);
    expect(hidden).toContain('were hidden');
    await box(/Hide host/).uncheck();
    await expect.poll(source).toContain('/home/mallory/run/train.py');
    expect(await source()).toMatch(/\| Host \| simulated-host \|/);
    await box(/Hide host/).check();
    await expect.poll(source).toBe(hidden);
  });

  test('notes can be left out', async () => {
    await box(/Notes/).uncheck();
    await expect.poll(source).not.toContain('### Notes');
    await box(/Notes/).check();
    await expect.poll(source).toContain('### Notes');
  });

  test('is about the answer where that is asked for: its first lines name verdict, cause and fix', async () => {
    const about = dialog().getByRole('group', { name: 'About' });
    expect((await about.getByRole('radio').first().locator('..').innerText()).trim()).toMatch(
      /^The answer/,
    );
    await about.getByRole('radio', { name: /^The answer/ }).check();
    await expect
      .poll(source)
      .toMatch(/^## \S.*\n\n> .*\n\n- \*\*Largest known cause:\*\* .*\n- \*\*Fix:\*\* .*\n/);
    await about.getByRole('radio', { name: /^The selected call/ }).check();
    await expect.poll(source).toMatch(/^## Why slow: /);
  });

  test('is the answer alone, or everything where that is asked for', async () => {
    const short = await source();
    expect(short).toMatch(/### Evidence.*### Environment/s);
    expect(short).not.toContain('What this trace cannot tell');
    await box(/^Everything/).check();
    await expect.poll(source).toContain('### What this trace cannot tell');
    expect(await source()).toMatch(
      /Called from \(\d+ frames?, innermost first\)<\/summary>\n\n- `/,
    );
  });

  test('what is copied and saved is what is shown', async () => {
    const text = await source();
    await dialog().getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog().getByText('Copied.').waitFor();
    expect(await app.page.evaluate('window.copied')).toBe(text);
    const [download] = await Promise.all([
      app.page.waitForEvent('download'),
      dialog().getByRole('button', { name: 'Save as .md' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Stalltrace report.md');
    expect(readFileSync(await download.path(), 'utf8')).toBe(text);
    const kinds = parseMarkdown(text).map(({ kind }) => kind);
    expect(kinds).toContain('details');
    expect(kinds).not.toContain('html');
  });

  test('the preview can be made wider by key; Escape closes, and hiding is on again', async () => {
    const { page } = app;
    const splitter = dialog().getByRole('separator', { name: 'Width of the preview' });
    const before = await dialog().getByRole('textbox', { name: 'Markdown' }).boundingBox();
    await splitter.press('ArrowRight');
    await expect
      .poll(async () => (await dialog().getByRole('textbox').boundingBox())?.width)
      .toBeLessThan(before?.width ?? 0);
    await box(/Hide host/).uncheck();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Report…' }).click();
    expect(await box(/Hide host/).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('the finding is copied by its key, without what is private', async () => {
    await app.page.keyboard.press('ControlOrMeta+Shift+KeyE');
    await app.page.getByText('Copied as Markdown, without host').waitFor();
    const copied = String(await app.page.evaluate('window.copied'));
    expect(copied).toMatch(/^## Why slow: `cudaMemcpyAsync`/);
    expect(copied).not.toMatch(/simulated-host|### Notes/);
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});

/** The processes of open traces of a host, by their entry file. */
function traceProcesses(host: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return lines.split('\n').flatMap((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return Number(parent) === host && args.join(' ').includes('trace-process') ? Number(pid) : [];
  });
}

describeWith(['chromium', 'notWindows'], 'a report whose trace is gone', () => {
  test('says so in the dialog and opens it again', async () => {
    const app = await openAppPage({ args: [samplePath] });
    try {
      const { page } = app;
      await goToSlowest(page);
      await page.getByRole('button', { name: 'Report…' }).waitFor();
      for (const pid of traceProcesses(app.host.process.pid)) process.kill(pid, 'SIGKILL');
      await page.keyboard.press('ControlOrMeta+KeyE');
      const dialog = page.getByRole('dialog', { name: 'Report' });
      await expect.poll(() => dialog.getByRole('alert').textContent()).toMatch(/open it again/);
      expect(await dialog.getByRole('button', { name: 'Copy', exact: true }).isDisabled()).toBe(
        true,
      );
      await dialog.getByRole('button', { name: 'Open it again' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.keyboard.press('ControlOrMeta+KeyE');
      await dialog.getByRole('heading', { name: /Why slow: cuda/ }).waitFor();
    } finally {
      await app.close();
    }
  });
});
