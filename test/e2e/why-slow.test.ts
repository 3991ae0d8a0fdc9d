/// <reference lib="dom" />
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { seriousFindings } from '../support/page/axe.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { openTimeline, samplePath, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** From a slow call to who held it up, and back along what it waited for. */
describeWith(['chromium'], 'why a call is slow', () => {
  let timeline: TimelinePage;

  const section = (name: RegExp) => timeline.panel.getByRole('region', { name });
  const heading = () => timeline.panel.getByRole('heading', { level: 2 }).innerText();
  const segments = () => section(/^Wait chain/).getByTitle('Go to it on the timeline');
  const current = () => section(/^Wait chain/).locator('[aria-current="step"]');
  const press = (key: string) => timeline.page.keyboard.press(key);

  async function openAll(part: Locator): Promise<void> {
    const closed = part.getByRole('button', { expanded: false });
    while ((await closed.count()) > 0) await closed.first().click();
  }

  beforeAll(async () => {
    timeline = await openTimeline(samplePath);
    await press('KeyN');
    await openHowKnown(timeline.page);
  });
  beforeEach(async () => {
    await press('Escape');
    await press('Escape');
    await press('KeyN');
    await expect.poll(heading).toContain('cuda');
    await section(/^Wait chain/).waitFor();
  });
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  test('the parts of its time sum to all of it, each with the events behind it', async () => {
    const table = section(/^Where /).getByRole('table');
    const shares = await table.locator('td:nth-child(2)').allInnerTexts();
    const ns = (await table.locator('td:nth-child(3)').allInnerTexts()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    const whole = ns.at(-1) ?? 0;
    expect(shares.at(-1)).toBe('100 %');
    expect(ns.slice(0, -1).reduce((sum, part) => sum + part, 0)).toBe(whole);
    await openAll(table);
    const events = section(/^Where /).getByTitle('Show it on the timeline');
    await events.first().click();
    await expect.poll(() => timeline.row(/What matters here/).count()).toBe(1);
    expect(await heading()).toContain('cuda');
    await timeline.panel.getByText('On the timeline:').waitFor();
  });

  test('who ran instead is named with its process, and shown on its CPU', async () => {
    const contenders = section(/^Who ran instead/);
    const first = contenders.getByRole('button', { name: /pid \d+/ }).first();
    const pid = /pid (\d+)/.exec(await first.innerText())?.[1];
    const before = await timeline.nextAnnouncement();
    await first.click();
    expect(await timeline.nextAnnouncement(before)).toMatch(/tid \d+/);
    // Among the tracks that tell of the call, on top.
    const onTop = timeline.page.locator('.timeline .staying');
    await expect.poll(() => onTop.innerText()).toMatch(/What matters here.*CPU \d/s);
    expect(await first.getAttribute('aria-current')).toBe('true');
    expect(pid).toMatch(/^\d+$/);
    // The panel stays, and its event can be looked at by itself.
    expect(await heading()).toContain('cuda');
    await timeline.panel.getByRole('button', { name: 'Facts' }).click();
    await timeline.panel.getByRole('button', { name: /^← Back to cuda/ }).click();
    await expect.poll(heading).toContain('cuda');
  });

  /** How many pixels the overlay has along the lower edge of a row. */
  async function pixelsAtFoot(name: RegExp): Promise<number> {
    const box = await timeline.row(name).boundingBox();
    if (box === null) throw new Error('the row is not on screen');
    const overlay = timeline.page.locator('.timeline .tracks .overlay canvas');
    return overlay.evaluate(
      (canvas: HTMLCanvasElement, foot) => {
        const y = (foot - canvas.getBoundingClientRect().top) * devicePixelRatio;
        const line = canvas.getContext('2d')?.getImageData(0, Math.round(y), canvas.width, 1).data;
        return line?.filter((value, at) => at % 4 === 3 && value === 255).length ?? 0;
      },
      box.y + box.height - 3,
    );
  }

  test('the chain is one path below the states of the threads it goes through', async () => {
    await press('KeyF');
    await press('KeyF');
    // The call is fitted: its path is about as wide as the chart.
    await expect.poll(() => pixelsAtFoot(/State/)).toBeGreaterThan(200);
    await press('Escape');
    await expect.poll(() => pixelsAtFoot(/State/)).toBe(0);
  });

  test('] goes to the longest part and on, [ back: said, and marked in the panel', async () => {
    const count = await segments().count();
    const lengthOf = async (part: Locator) =>
      Number((await part.locator('.duration').getAttribute('title'))?.replace(' ns', ''));
    const lengths = await Promise.all((await segments().all()).map(lengthOf));
    const [longest, next] = lengths.toSorted((a, b) => b - a);
    await press('BracketRight');
    await expect.poll(timeline.announcement).toContain(`Wait chain, 1 of ${count} by length: `);
    expect(await lengthOf(current())).toBe(longest);
    await press('BracketRight');
    await expect.poll(timeline.announcement).toContain(`Wait chain, 2 of ${count} by length: `);
    expect(await lengthOf(current())).toBe(next);
    await press('BracketLeft');
    await expect.poll(timeline.announcement).toContain(`Wait chain, 1 of ${count} by length: `);
  });

  test('in order of time [ goes to the cause, ] to the effect', async () => {
    await press('Control+Comma');
    const settings = timeline.page.getByRole('dialog', { name: /Settings/ });
    await settings.getByText('In order of time').click();
    await press('Escape');
    const count = await segments().count();
    expect(count).toBeGreaterThan(1);
    await press('BracketLeft');
    await expect.poll(timeline.announcement).toContain(`Wait chain, ${count} of ${count}: `);
    expect(await current().innerText()).toBe(await segments().last().innerText());
    await press('BracketLeft');
    await expect.poll(timeline.announcement).toContain(`Wait chain, ${count - 1} of ${count}: `);
    await press('BracketRight');
    await press('BracketRight');
    await expect.poll(timeline.announcement).toContain(`Wait chain, ${count} of ${count}: `);
    expect(await current().count()).toBe(1);
    await segments().first().click();
    await expect.poll(timeline.announcement).toContain(`Wait chain, 1 of ${count}: `);
    expect(await heading()).toContain('cuda');
  });

  test('a track that is hidden comes back when the chain goes there', async () => {
    await press('BracketLeft');
    await expect.poll(timeline.announcement).toContain('Wait chain');
    const gone = await timeline.page.locator('.label.focused').getAttribute('data-row');
    await press('KeyH');
    const hidden = timeline.page.getByText(/^1 hidden/);
    await expect.poll(() => hidden.count()).toBe(1);
    await press('BracketLeft');
    await press('BracketRight');
    await expect.poll(() => hidden.count()).toBe(0);
    expect(await timeline.page.locator(`[data-row="${gone}"]`).count()).toBe(1);
  });

  test('the chain of a range, and back', async () => {
    await press('KeyR');
    await timeline.page.getByRole('button', { name: 'Wait chain of the range' }).click();
    await timeline.panel.getByRole('heading', { name: /^Where .* went$/ }).waitFor();
    // The same card as of a step: where the time went and what to do, before how that is known.
    const fix = timeline.panel.getByRole('region', { name: 'What to change' });
    await fix
      .or(timeline.panel.getByText(/^No finding is known/))
      .first()
      .waitFor();
    await openHowKnown(timeline.page);
    await section(/^Wait chain/).waitFor();
    await press('BracketLeft');
    await expect.poll(timeline.announcement).toContain('Wait chain, ');
    expect(await heading()).toMatch(/^Where .* went$/);
    await timeline.panel.getByRole('button', { name: '← Back' }).click();
    await expect.poll(heading).toContain('cuda');
  });

  test('sections close and open by the keyboard, and stay as they were left', async () => {
    const toggle = () => timeline.panel.getByRole('button', { name: 'Wait chain', exact: true });
    await toggle().focus();
    await press('Enter');
    await expect.poll(() => segments().count()).toBe(0);
    await timeline.page.reload();
    await toggle().waitFor();
    expect(await toggle().getAttribute('aria-expanded')).toBe('false');
    await toggle().click();
    await expect.poll(() => segments().count()).toBeGreaterThan(0);
  });

  test('has no serious finding of axe-core, all of it open', async () => {
    const { page } = timeline;
    await openAll(timeline.panel);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await seriousFindings(page), colorScheme).toEqual([]);
    }
  });
});
