import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stateSwatches } from '../../src-main/timeline/model/colours.ts';
import { largeTrace } from '../support/large-trace.ts';
import {
  nextFrame,
  openLoadingTimeline,
  openTimeline,
  parseMoment,
  samplePath,
  type TimelinePage,
} from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** Custom properties of the thread states, in the order of the palette. */
const startOf = (announcement: string) =>
  parseMoment(/Start ([^,]+)/.exec(announcement)?.[1] ?? '');

/** What a system or page colour comes to, `#rrggbb`. */
const settled = (page: Page, colour: string) =>
  page.evaluate((value) => {
    const probe = document.createElement('span');
    probe.style.color = value;
    document.querySelector('.timeline')?.append(probe);
    const channels = getComputedStyle(probe).color.match(/\d+/g) ?? [];
    probe.remove();
    return channels
      .slice(0, 3)
      .reduce((hex, part) => hex + Number(part).toString(16).padStart(2, '0'), '#');
  }, colour);

describeWith(['chromium'], 'the timeline of 200,000 events', () => {
  let timeline: TimelinePage;
  let whole: { startNs: number; endNs: number };
  beforeAll(async () => {
    timeline = await openTimeline(largeTrace(200_000));
    whole = await timeline.view();
  });
  afterAll(() => timeline.app.close());

  test('the slowest call shows among all the others, in its own colour', async () => {
    const { page } = timeline;
    await page.keyboard.press('KeyN');
    await expect.poll(timeline.announcement).toContain('Slowest call number 1');
    const startNs = startOf(await timeline.announcement());
    // The calls of several threads: the focus went to the one that made this call.
    const selected = page.getByRole('row', { selected: true });
    const track = new RegExp((await selected.innerText()).replaceAll('\n', ' '));
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyF');
    await timeline.expectViewLeft(whole);
    // Fitted, the call fills the middle; its label stands at the left.
    const inside = async () => {
      const pixels = await timeline.pixels(track);
      return [...new Set(pixels.slice(pixels.length * 0.8, pixels.length * 0.9))];
    };
    const background = await settled(page, 'var(--bg)');
    let colour = '';
    await expect
      .poll(async () => {
        const found = await inside();
        [colour = background] = found;
        return found.length === 1 && colour !== background;
      })
      .toBe(true);
    await page.keyboard.press('Digit0');
    await timeline.expectView(whole);
    const share = await timeline.shareOf(startNs);
    const around = async () => {
      const pixels = await timeline.pixels(track);
      const at = Math.floor(share * pixels.length);
      return pixels.slice(at - 1, at + 3);
    };
    await expect.poll(around).toContain(colour);
  });

  test('zooms from everything to one event and back', async () => {
    for (let notch = 0, view = whole; notch < 40; notch++) {
      await timeline.wheel(/CUDA calls/, 0.4, [0, -100], 'Control');
      view = await timeline.expectViewLeft(view);
    }
    const { startNs, endNs } = await timeline.view();
    expect(endNs - startNs).toBeLessThan(1e6);
    await timeline.page.keyboard.press('Digit0');
    await timeline.expectView(whole);
  });

  test('a filter dims what it does not pick', async () => {
    const colours = async () => new Set(await timeline.pixels(/CUDA calls/)).size;
    await nextFrame(timeline.page);
    const before = await timeline.pixels(/CUDA calls/);
    await timeline.filter.fill('dur>1s');
    await expect.poll(() => timeline.pixels(/CUDA calls/)).not.toEqual(before);
    await timeline.filter.fill('');
    await expect.poll(() => timeline.pixels(/CUDA calls/)).toEqual(before);
    expect(await colours()).toBeGreaterThan(2);
    timeline.app.expectNoComplaints();
  });
});

describeWith(['chromium'], 'the timeline while events arrive, and its colours', () => {
  let timeline: TimelinePage;
  let release: () => void = () => undefined;
  beforeAll(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    timeline = await openLoadingTimeline(samplePath, (page) =>
      page.route(/\/data\/[^/]+\/tiles/, async (route) => {
        await held;
        await route.continue();
      }),
    );
  });
  afterAll(() => timeline.app.close());

  test('events that arrive late keep the view, the selection and the focus', async () => {
    const { page } = timeline;
    const whole = await timeline.view();
    await page.keyboard.press('KeyN');
    await timeline.nextAnnouncement();
    const fitted = await timeline.expectViewLeft(whole);
    await page.keyboard.press('KeyW');
    const view = await timeline.expectViewLeft(fitted);
    await timeline.row(/State/).locator('.name').click();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    await expect.poll(focused).toMatch(/^off_cpu/);
    const [announcement, row] = [await timeline.nextAnnouncement(), await focused()];
    release();
    await expect
      .poll(async () => new Set(await timeline.pixels(/CUDA calls/)).size)
      .toBeGreaterThan(2);
    expect(await timeline.view()).toEqual(view);
    await expect.poll(timeline.announcement).toBe(announcement);
    expect(await focused()).toBe(row);
    await timeline.settled();
    await page.keyboard.press('Digit0');
    await timeline.expectView(whole);
  });

  test('another theme draws again', async () => {
    const { page } = timeline;
    const panels: string[] = [];
    for (const theme of ['dark', 'light']) {
      await page.keyboard.press('Control+KeyK');
      await page.keyboard.type(`theme ${theme}`);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
      const panel = await settled(page, 'var(--panel)');
      await expect.poll(() => timeline.pixels(/DataLoader workers/)).toContain(panel);
      panels.push(panel);
    }
    expect(new Set(panels).size).toBe(2);
  });

  test('states have the same colours on the canvas and on the page', async () => {
    const inTheme = stateSwatches.map(({ id }) => settled(timeline.page, `var(--state-${id})`));
    expect(await Promise.all(inTheme)).toEqual(stateSwatches.map(({ hex }) => hex.toLowerCase()));
  });

  test('forced colours reach the canvas, and states keep theirs', async () => {
    const { page } = timeline;
    await page.emulateMedia({ forcedColors: 'active' });
    const canvas = await settled(page, 'Canvas');
    // A track first: a group may have had the colour before.
    await expect.poll(() => timeline.pixels(/CUDA calls/)).toContain(canvas);
    await expect.poll(() => timeline.pixels(/Training process/)).toContain(canvas);
    // Running: colours of data are not the system's.
    await expect.poll(() => timeline.pixels(/State/)).toContain('#0072b2');
    await page.emulateMedia({ forcedColors: 'none' });
    timeline.app.expectNoComplaints();
  });
});
