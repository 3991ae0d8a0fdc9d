import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { dropFile } from '../support/page/drop-file.ts';
import { type OpenedFiles, openFiles } from '../support/page/opened-files.ts';
import { parseMoment } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** The same job without workers and with four: see EXPECTED.json. */
const RUNS = {
  'nw0.json.gz': 'kineto/kineto_resnet50_nw0_1623143089861.pt.trace.json.gz',
  'nw4.json.gz': 'kineto/kineto_resnet50_nw4_1623212756351.pt.trace.json.gz',
} as const;

describeWith(['chromium', 'sharedData'], 'two runs compared in the app', () => {
  let app: OpenedFiles;
  const dialog = () => app.page.getByRole('dialog', { name: 'Two runs compared' });
  const select = (which: 'First' | 'Second') =>
    dialog().getByRole('combobox', { name: `${which} run` });
  const chosen = async (which: 'First' | 'Second') =>
    (await select(which).locator('option:checked').textContent())?.trim();

  beforeAll(async () => {
    app = await openFiles(RUNS);
    await app.page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
  });
  afterAll(() => app.close());

  test('the two that are picked, the earlier one first', async () => {
    await app.pick(/nw4/);
    await app.pick(/nw0/, ['Control']);
    await app.page.keyboard.press('c');
    await dialog()
      .getByText(/^Faster\./)
      .waitFor();
    expect(await chosen('First')).toMatch(/^nw0/);
    expect(await chosen('Second')).toMatch(/^nw4/);
    const finding = dialog().getByRole('row', {
      name: /^The training process loads the data itself/,
    });
    expect(await finding.textContent()).toContain('gone');
    const waits = dialog().getByRole('table', { name: 'What each run waits for' });
    expect(await waits.getByRole('row', { name: /^First/ }).innerText()).toMatch(
      /INPUT-BOUND[\s\S]*33\.9 %/,
    );
    expect(await waits.getByRole('row', { name: /^Second/ }).innerText()).toMatch(
      /HOST-BOUND[\s\S]*22\.3 %/,
    );
    const bars = dialog().getByRole('figure').getByRole('img');
    expect(await bars.count()).toBe(2);
    expect(await bars.first().getAttribute('aria-label')).toContain('Waiting for input 69.42 ms');
    expect(await seriousFindings(app.page)).toEqual([]);
  });

  test('is copied as the command line prints it', async () => {
    await dialog().getByRole('button', { name: 'Copy as Markdown' }).click();
    await dialog().getByText('Copied.').waitFor();
    expect(await app.page.evaluate('window.copied')).toMatch(
      /^## Two runs compared\n\nFaster\\?\./,
    );
  });

  test('shows in which code a step takes less, by colour, key and table, and copies that too', async () => {
    const stacks = dialog().getByLabel('Stacks by');
    await stacks.selectOption('GPU time asked for');
    const graph = dialog().getByRole('group', { name: /^GPU time asked for, a step: arrow keys/ });
    await graph.waitFor();
    await dialog()
      .getByText(/^With a stack: .* in the first run, .* in the second/)
      .waitFor();
    await graph.focus();
    await app.page.keyboard.press('ArrowDown');
    const selected = dialog().locator('.selected');
    await expect.poll(() => selected.innerText()).toMatch(/First .* Second .* Change [+−]\d/);
    await dialog().getByLabel('Search functions and files').fill('copy');
    await dialog()
      .getByText(/^[1-9]\d* functions? found$/)
      .waitFor();
    const changed = dialog().getByRole('table', { name: /^Functions that changed most: GPU time/ });
    expect(await changed.getByRole('row').count()).toBeGreaterThan(1);
    expect(await seriousFindings(app.page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Copy as Markdown' }).click();
    await dialog().getByText('Copied.').waitFor();
    expect(await app.page.evaluate('window.copied')).toMatch(
      /^## Two runs compared\n[\s\S]*\n## What changed by function: GPU time asked for, a step\n/,
    );
  });

  test('has the rows that tell of the steps, of both runs, which are zoomed and moved together', async () => {
    await dialog().getByRole('button', { name: 'Show both timelines' }).click();
    const run = (which: string) => dialog().getByRole('region', { name: `${which} run` });
    await run('Second')
      .getByText(/CUDA calls/)
      .waitFor();
    const rows = await Promise.all(
      ['First', 'Second'].map((which) => run(which).getByRole('listitem').allInnerTexts()),
    );
    for (const each of rows) expect(each.join()).toMatch(/Steps[\s\S]*GPU[\s\S]*CUDA calls/);
    expect(await seriousFindings(app.page)).toEqual([]);
    const inView = async (which: string) => {
      const label = await run(which).getByRole('img').getAttribute('aria-label');
      const [from = '', to = ''] = (label ?? '').split(' to ');
      return [parseMoment(from), parseMoment(to)] as const;
    };
    await dialog().getByRole('button', { name: 'Next step →' }).click();
    await dialog()
      .getByText(/^Step 3 of both runs is aligned at its start\.$/)
      .waitFor();
    const [first, second] = [await inView('First'), await inView('Second')];
    expect(second[1] - second[0]).toBeCloseTo(first[1] - first[0], -1);
    await dialog().getByRole('button', { name: 'Zoom in on both' }).click();
    await expect.poll(async () => (await inView('Second'))[0]).toBeGreaterThan(second[0]);
    const zoomed = [await inView('First'), await inView('Second')] as const;
    expect(zoomed[1][0] - second[0]).toBeCloseTo(zoomed[0][0] - first[0], -1);
  });

  test('has the steps of both one above the other, by time or by number, and leads to one of them', async () => {
    const steps = dialog().getByRole('group', { name: /^Steps of both runs/ });
    await steps.focus();
    await app.page.keyboard.press('ArrowRight');
    await app.page.keyboard.press('ArrowRight');
    const told = dialog().getByText(/^(First|Second) run, step 3, /);
    await expect.poll(() => told.allInnerTexts()).toHaveLength(2);
    expect((await told.allInnerTexts())[0]).toMatch(/Waiting for input 73\.42 ms/);
    const bars = (which: string) =>
      steps.getByRole('button', { name: new RegExp(`^${which} run`) });
    const ends = async (which: string) => {
      const box = await bars(which).last().boundingBox();
      return box === null ? 0 : Math.round(box.x + box.width);
    };
    // The second run is done earlier; step by step both end together.
    expect(await ends('Second')).toBeLessThan((await ends('First')) - 100);
    await dialog().getByRole('button', { name: 'By step' }).click();
    await expect.poll(() => ends('Second')).toBe(await ends('First'));
    const all = await bars('First').count();
    await steps.focus();
    await app.page.keyboard.press('+');
    await app.page.keyboard.press('+');
    await expect.poll(() => bars('First').count()).toBeLessThan(all);
    await expect.poll(() => bars('Second').count()).toBeLessThan(all);
    await dialog().getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => bars('First').count()).toBe(all);
    await dialog().getByRole('button', { name: 'Open it there' }).last().click();
    await app.page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
    const range = app.page.getByRole('region', { name: 'Selected range' });
    await range.getByText(/^12\d\.\d ms$/).waitFor();
    await app.page.getByRole('button', { name: /Library/ }).click();
    await app.pick(/nw4/);
    await app.pick(/nw0/, ['Control']);
    await app.page.keyboard.press('c');
    await dialog()
      .getByText(/^Faster\./)
      .waitFor();
  });

  test('the other way round it is slower', async () => {
    await dialog().getByRole('button', { name: 'Swap' }).click();
    await dialog()
      .getByText(/^Slower\./)
      .waitFor();
    expect(await chosen('First')).toMatch(/^nw4/);
  });

  test('one that is picked, with the other', async () => {
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await app.pick(/nw4/);
    await app.page.keyboard.press('c');
    await dialog()
      .getByText(/^Faster\./)
      .waitFor();
    expect(await chosen('Second')).toMatch(/^nw4/);
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await app.pick(/nw0/);
    await app.page.keyboard.press('c');
    await dialog()
      .getByText(/^Faster\./)
      .waitFor();
  });

  test('three that are picked, each beside the earliest, or the one that is chosen', async () => {
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await app.pick(/nw0/);
    await app.pick(/nw4/, ['Control']);
    await app.pick(/Sample/, ['Control']);
    await app.page.keyboard.press('c');
    const three = app.page.getByRole('dialog', { name: '3 runs compared' });
    await three.getByText(/^A mean step is shortest in nw4.*can’t be compared/).waitFor();
    const bars = three.getByRole('figure').getByRole('img');
    expect(await bars.count()).toBe(3);
    expect(await bars.first().getAttribute('aria-label')).toContain('Waiting for input 69.42 ms');
    expect(await three.getByRole('row', { name: /^nw0/ }).innerText()).toContain('the first');
    expect(await three.getByRole('row', { name: /Sample/ }).innerText()).toContain(
      'not comparable',
    );
    expect(await seriousFindings(app.page)).toEqual([]);
    const base = three.getByLabel('Compared with');
    const nw4 = (await base.locator('option').allInnerTexts()).find((text) => /^nw4/.test(text));
    await base.selectOption({ label: nw4 ?? '' });
    await three.getByText(/^No run is measurably faster than the first, and 1 of/).waitFor();
    await three.getByRole('button', { name: 'Copy as Markdown' }).click();
    await three.getByText('Copied.').waitFor();
    expect(await app.page.evaluate('window.copied')).toMatch(/^## 3 runs compared\n/);
    await app.page.keyboard.press('Escape');
    await three.waitFor({ state: 'detached' });
    await app.pick(/nw0/);
    await app.page.keyboard.press('c');
    await dialog()
      .getByText(/^Faster\./)
      .waitFor();
  });

  test('one twice is nothing to compare', async () => {
    await select('Second').selectOption({ label: (await chosen('First')) ?? '' });
    await dialog().getByText('Choose two different runs: these are the same.').waitFor();
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('one that is dropped on the right half of the window, with the open one, which stays', async () => {
    await app.row(/^nw0/).dblclick({ position: { x: 600, y: 10 } });
    const overview = app.page.getByRole('tab', { name: 'Overview' });
    await overview.waitFor();
    const call = { ph: 'X', name: 'work', pid: 1, tid: 1, ts: 10, dur: 5 };
    await dropFile(app.page, 'dropped.json', JSON.stringify({ traceEvents: [call] }), 10_000);
    await dialog()
      .getByText(/^Cannot tell whether steps are shorter\./)
      .waitFor();
    const names = [await chosen('First'), await chosen('Second')];
    expect(names.join()).toMatch(/nw0/);
    expect(names.join()).toMatch(/dropped/);
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await overview.waitFor();
    expect(await app.page.getByRole('heading', { name: /nw0/ }).count()).toBeGreaterThan(0);
  });
});

describeWith(['chromium'], 'two files of one name that the app is started with', () => {
  let folder: string;
  let app: AppPage;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-two-'));
    const files = ['before', 'after'].map((name, at) => {
      mkdirSync(join(folder, name));
      const file = join(folder, name, 'run.json');
      const call = { ph: 'X', name: 'work', pid: 1, tid: 1, ts: 10, dur: 5 + at };
      writeFileSync(file, JSON.stringify({ traceEvents: [call] }));
      return file;
    });
    app = await openAppPage({ args: files });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the first is opened, called by its folder too, and both can be compared', async () => {
    const { page } = app;
    await page.getByRole('heading', { name: 'run.json in before' }).waitFor();
    await expect.poll(() => page.title()).toBe('run.json in before – Stalltrace');
    await page.getByText(/^2 traces are in the library/).waitFor();
    await page.getByRole('button', { name: 'Compare them' }).click();
    const dialog = page.getByRole('dialog', { name: 'Two runs compared' });
    await dialog.getByText(/^Cannot tell whether steps are shorter\./).waitFor();
    const chosen = await dialog.locator('option:checked').allInnerTexts();
    expect(chosen.map((text) => text.trim().split(' · ')[0]).toSorted()).toEqual([
      'run.json in after',
      'run.json in before',
    ]);
    expect(await seriousFindings(page)).toEqual([]);
    app.expectNoComplaints();
  });
});
