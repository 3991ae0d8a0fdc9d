/// <reference lib="dom" />
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nextFrame, openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';

const CHROMIUM_MS = 60_000;

describe('the tracks of the timeline', () => {
  let timeline: TimelinePage;

  beforeAll(async () => {
    timeline = await openTimeline();
  }, CHROMIUM_MS);
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  const cpus = async () =>
    (await timeline.rowNames()).flatMap((name) => /^CPU \d/.exec(name.trim())?.[0] ?? []);
  const moved = () => timeline.page.locator('.moved').textContent();

  test('a worker is one row, under which all that is known of it is folded', async () => {
    const names = async () =>
      (await timeline.rowNames()).map((name) => name.replaceAll(/\s+/g, ' ').trim());
    const workers = async () => (await names()).filter((name) => name.startsWith('worker'));
    expect((await workers()).map((name) => /^worker (\d)/.exec(name)?.[1])).toEqual([
      ...['0', '1', '2', '3'],
    ]);
    const row = timeline.row(/^\s*worker 1/);
    const folded = Number(/\+(\d+)/.exec(await row.innerText())?.[1]);
    await row.getByRole('button', { name: 'Expand' }).click();
    await expect.poll(async () => (await workers()).length).toBe(4 + folded);
    expect((await workers()).join()).toMatch(/worker 1 .*Block I.O/);
    await row.first().getByRole('button', { name: 'Collapse' }).click();
    await expect.poll(async () => (await workers()).length).toBe(4);
  });

  test('Alt+↑ and Alt+↓ move a track within its group, and keep its focus', async () => {
    const row = timeline.row(/^\s*CPU 1/);
    await row.focus();
    await timeline.page.keyboard.press('Alt+ArrowUp');
    await expect.poll(cpus).toEqual(['CPU 1', 'CPU 0', 'CPU 2', 'CPU 3']);
    expect(await moved()).toContain('CPU 1 : place 1 of 4');
    await timeline.page.keyboard.press('Alt+ArrowUp');
    await timeline.page.keyboard.press('Alt+ArrowDown');
    await timeline.page.keyboard.press('Alt+ArrowDown');
    await expect.poll(cpus).toEqual(['CPU 0', 'CPU 2', 'CPU 1', 'CPU 3']);
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('a name is dragged to its new place, in its own group only', async () => {
    const { page } = timeline;
    await timeline.row(/Process events/).scrollIntoViewIfNeeded();
    const from = await timeline
      .row(/^\s*CPU 3/)
      .locator('.name')
      .boundingBox();
    const to = await timeline.row(/^\s*CPU 0/).boundingBox();
    if (from === null || to === null) throw new Error('the CPUs are not on screen');
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(from.x + 5, from.y - 20);
    await page.mouse.move(to.x + 40, to.y + 3);
    await expect.poll(() => page.locator('.labels .drop').count()).toBe(1);
    await page.mouse.up();
    await expect.poll(cpus).toEqual(['CPU 3', 'CPU 0', 'CPU 2', 'CPU 1']);

    const third = await timeline
      .row(/^\s*CPU 2/)
      .locator('.name')
      .boundingBox();
    if (third === null) throw new Error('CPU 2 is not on screen');
    await page.mouse.move(third.x + 5, third.y + 5);
    await page.mouse.down();
    await page.mouse.move(third.x + 5, third.y - 40);
    await page.mouse.move(third.x + 5, third.y - 400);
    await page.mouse.up();
    await expect.poll(cpus).toEqual(['CPU 2', 'CPU 3', 'CPU 0', 'CPU 1']);
  });

  test('N puts what tells of the call on top and folds all else, for each call; V takes that back', async () => {
    const { page } = timeline;
    const matters = page.getByRole('button', { name: 'What matters' });
    expect(await matters.isDisabled()).toBe(true);
    const before = await timeline.rowNames();
    await page.keyboard.press('n');
    await expect.poll(() => timeline.announcement()).toContain('Slowest call number 1');
    expect(await matters.getAttribute('aria-pressed')).toBe('true');
    // The wait chain of the call names the CPUs and the workers.
    const names = async () => (await timeline.rowNames()).map((name) => name.replace(/\s+/g, ' '));
    await expect.poll(async () => (await names()).join('\n')).toMatch(/CPU \d/);
    await expect.poll(async () => (await names())[1]).toMatch(/^\s*Steps \d+/);
    const [first = '', , ...rest] = await names();
    expect(first).toMatch(/What matters here \d+ of \d+ tracks/);
    expect(rest[0]).toContain('GPU idle');
    expect(rest[1]).toContain('CUDA calls');
    expect(rest.join('\n')).toMatch(/worker/);
    expect(rest.length).toBeLessThan(before.length);
    await page.keyboard.press('n');
    await expect.poll(() => timeline.announcement()).toContain('Slowest call number 2');
    expect((await names())[0]).toMatch(/What matters here/);
    // With nothing selected they are as they were.
    const scroller = page.locator('.timeline .scroller');
    const expectBefore = async () => {
      await scroller.evaluate((element) => element.scrollTo(0, 0));
      await expect.poll(async () => (await timeline.rowNames())[0]).toBe(before[0]);
    };
    await page.keyboard.press('Escape');
    await expectBefore();
    await page.keyboard.press('n');
    await expect.poll(async () => (await names())[0]).toMatch(/What matters here/);
    await page.keyboard.press('v');
    await expectBefore();
    // Whoever took it back is not led there again, but finds it where they ask for it.
    await page.keyboard.press('n');
    await expect.poll(() => timeline.announcement()).toContain('Slowest call number 2');
    expect((await names()).join('\n')).not.toContain('What matters here');
    await page.keyboard.press('v');
    await expect.poll(async () => (await names())[0]).toMatch(/What matters here/);
    await page.keyboard.press('v');
  });

  test('what matters stays on top while the rest is scrolled: drawn there, and pressed there', async () => {
    const { page } = timeline;
    await page.keyboard.press('v');
    await page.keyboard.press('f');
    await page.keyboard.press('f');
    const groups = page.locator('.timeline [data-row].group');
    const folded = groups.getByRole('button', { name: 'Expand' });
    while ((await folded.count()) > 0) await folded.first().click();
    const scroller = page.locator('.timeline .scroller');
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await nextFrame(page);
    const place = () => timeline.place(/CUDA calls/, 0.5);
    const [at, drawn] = [await place(), await timeline.pixels(/CUDA calls/)];
    const lastPlace = () => groups.last().boundingBox();
    const last = await lastPlace();
    await scroller.evaluate((element) => element.scrollTo(0, 10_000));
    await expect.poll(async () => (await lastPlace())?.y).not.toBe(last?.y);
    expect(await place()).toEqual(at);
    await expect.poll(() => timeline.pixels(/CUDA calls/)).toEqual(drawn);
    await page.mouse.click(at.x, at.y);
    await expect.poll(() => timeline.announcement()).toMatch(/^cuda.*Duration/);
    await page.keyboard.press('v');
    await page.keyboard.press('Escape');
    await scroller.evaluate((element) => element.scrollTo(0, 0));
  });

  test('a step is a row of its own: pressed, it is explained; with nothing selected nothing is', async () => {
    const { page, panel } = timeline;
    await timeline.filter.fill('step');
    await timeline.row(/Steps/).waitFor();
    await expect.poll(async () => (await timeline.rowNames()).length).toBe(2);
    await timeline.filter.fill('');
    const { x, y } = await timeline.place(/^\s*Steps\s+\d/, 0.5);
    await page.mouse.move(x, y);
    const tooltip = page.locator('.tooltip');
    await expect.poll(() => tooltip.innerText()).toMatch(/^Step \d+\s+Duration/);
    const [step = ''] = /Step \d+/.exec(await tooltip.innerText()) ?? [];
    await page.mouse.click(x, y);
    await panel.getByRole('heading', { name: /^Where .* went$/ }).waitFor();
    await expect.poll(() => panel.innerText()).toContain(step);
    await page.mouse.move(5, 5);
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: /^Go to the slowest/ }).waitFor();
    // And a time in which the GPU is idle as a step is, with the tracks that tell of it.
    await timeline
      .row(/GPU idle/)
      .locator('.name')
      .click();
    await page.keyboard.press('ArrowRight');
    await panel.getByRole('heading', { name: /^Where .* went$/ }).waitFor();
    await expect.poll(() => panel.innerText()).toMatch(/^GPU idle/);
    await page.keyboard.press('v');
    await expect.poll(async () => (await timeline.rowNames())[0]).toContain('What matters here');
    await page.keyboard.press('v');
    await page.keyboard.press('Escape');
  });

  test('a filter for events leaves the tracks that have some, and says how many', async () => {
    const status = timeline.page.getByRole('toolbar', { name: 'Timeline' }).getByRole('status');
    await timeline.filter.fill('name:cudaMemcpy');
    await expect.poll(() => status.innerText()).toMatch(/^1 of \d+ tracks · Enter/);
    expect((await timeline.rowNames()).join('\n')).not.toContain('worker');
    await timeline.filter.fill('name:cuMemcpy');
    await timeline.page.keyboard.press('Enter');
    await expect.poll(() => timeline.announcement()).toContain('cuMemcpy');
    await timeline.filter.fill('dur>100s');
    await expect.poll(() => status.innerText()).toMatch(/^0 of/);
    await timeline.filter.fill('');
  });

  test('Shift+Backspace goes forward to the view and the range that were left', async () => {
    const { page, rangeBar } = timeline;
    await page.locator('.timeline .scroller').evaluate((element) => element.scrollTo(0, 0));
    const all = await timeline.view();
    await timeline.drag(/CUDA calls/, 0.2, 0.4, 'Alt');
    const zoomed = await timeline.expectViewLeft(all);
    await timeline.drag(/CUDA calls/, 0.2, 0.4);
    await rangeBar.waitFor();
    await page.keyboard.press('Backspace');
    await timeline.expectView(all);
    await rangeBar.waitFor({ state: 'hidden' });
    await page.keyboard.press('Shift+Backspace');
    await timeline.expectView(zoomed);
    await rangeBar.waitFor();
  });

  test('the wheel zooms where the settings say so, Alt+wheel scrolls', async () => {
    const { page } = timeline;
    await page.keyboard.press('Digit0');
    await page.keyboard.press('Control+Comma');
    const settings = page.getByRole('dialog', { name: /Settings/ });
    await settings.getByText('Zooms at the pointer').click();
    await page.keyboard.press('Escape');
    const before = await timeline.view();
    await timeline.wheel(/CUDA calls/, 0.5, [0, -100]);
    await timeline.expectViewLeft(before);
    const scroller = page.locator('.timeline .scroller');
    const top = () => scroller.evaluate((element) => element.scrollTop);
    const scrolled = await top();
    await timeline.wheel(/CUDA calls/, 0.5, [0, 100], 'Alt');
    await expect.poll(top).toBeGreaterThan(scrolled);
  });
});
