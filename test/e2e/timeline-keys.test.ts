import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatDuration } from '../../src-main/shared/text/units.ts';
import { openTimeline, slowestCallsNs, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

interface View {
  readonly startNs: number;
  readonly endNs: number;
}

const spanOf = (view: View) => view.endNs - view.startNs;

describeWith(['chromium'], 'the timeline by its keys', () => {
  let timeline: TimelinePage;
  let whole: View;
  let slowNs: number[];
  let slowestNs = 0;
  let slowest = '';

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await timeline.page.keyboard.press(key);
  };
  const isFocused = (name: RegExp) => timeline.row(name).getAttribute('aria-selected');
  const nameOfSelected = async () => (await timeline.announcement()).split(',')[0];

  beforeAll(async () => {
    timeline = await openTimeline();
    whole = await timeline.view();
    slowNs = slowestCallsNs(3);
    slowestNs = slowNs[0] ?? 0;
    slowest = formatDuration(slowestNs);
  });
  beforeEach(async () => {
    await press('Escape', 'Escape');
    // A field that has gone may have the focus until the next frame: a digit is text there.
    await expect
      .poll(() => timeline.page.evaluate(() => document.activeElement?.closest('input, dialog')))
      .toBeFalsy();
    await press('Digit0');
    await timeline.expectView(whole);
  });
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  test('W and S zoom, A and D move, Shift five times as far, 0 shows all', async () => {
    await press('KeyW', 'KeyW', 'KeyW', 'KeyW');
    const zoomed = await timeline.expectViewLeft(whole);
    expect(spanOf(zoomed) / spanOf(whole)).toBeCloseTo(1.5 ** -4, 3);
    await press('KeyD');
    const later = await timeline.expectViewLeft(zoomed);
    expect((later.startNs - zoomed.startNs) / spanOf(zoomed)).toBeCloseTo(0.1, 3);
    await press('Shift+KeyA');
    const earlier = await timeline.expectViewLeft(later);
    expect((later.startNs - earlier.startNs) / spanOf(zoomed)).toBeCloseTo(0.5, 3);
    await press('KeyS');
    const wider = await timeline.expectViewLeft(earlier);
    expect(spanOf(wider) / spanOf(zoomed)).toBeCloseTo(1.5, 3);
    await press('Digit0');
    await timeline.expectView(whole);
  });

  test('N goes through the slow calls from the slowest, Shift+N back', async () => {
    const durations = slowNs.map(formatDuration);
    for (const [rank, duration] of durations.entries()) {
      await press('KeyN');
      await expect.poll(timeline.announcement).toContain(`Slowest call number ${rank + 1}: `);
      expect(await timeline.announcement()).toContain(`Duration ${duration}`);
      // Each is fitted: what led to it is as wide as the screen.
      expect(spanOf(await timeline.view()) / (slowNs[rank] ?? 0)).toBeCloseTo(1.2, 2);
    }
    await press('Shift+KeyN');
    await expect.poll(timeline.announcement).toContain('Slowest call number 2: ');
  });

  test('F centres the selection, then fits it; Backspace goes back view by view', async () => {
    await press('KeyN');
    const shown = await timeline.expectViewLeft(whole);
    await press('Shift+KeyD', 'KeyS');
    await timeline.expectViewLeft(shown);
    await press('KeyS');
    const before = await timeline.view();
    await press('KeyF');
    const centred = await timeline.expectViewLeft(before);
    expect(spanOf(centred)).toBeCloseTo(spanOf(before), -1);
    await press('KeyF');
    const fitted = await timeline.expectViewLeft(centred);
    expect(spanOf(fitted) / slowestNs).toBeCloseTo(1.2, 2);
    await press('Backspace');
    await timeline.expectView(centred);
    await press('Backspace');
    await timeline.expectView(before);
  });

  test('R turns the event into the range; Escape clears the range, then the event', async () => {
    const { rangeBar } = timeline;
    await press('KeyN', 'KeyR');
    await expect.poll(() => rangeBar.locator('strong').innerText()).toBe(slowest);
    await press('Escape');
    await expect.poll(() => rangeBar.count()).toBe(0);
    expect(await timeline.nextAnnouncement()).toContain(slowest);
    await press('Escape');
    await expect.poll(timeline.announcement).toBe('');
  });

  test('Backspace and Escape work while a button elsewhere has the focus', async () => {
    const { page } = timeline;
    await press('KeyN', 'KeyR');
    await timeline.rangeBar.waitFor();
    const fitted = await timeline.expectViewLeft(whole);
    await press('Digit0');
    await timeline.expectView(whole);
    await page.getByRole('tab', { name: 'Timeline' }).focus();
    await press('Backspace');
    await timeline.expectView(fitted);
    await press('Escape');
    await expect.poll(() => timeline.rangeBar.count()).toBe(0);
    await press('ArrowLeft');
    await page.getByRole('tabpanel', { name: 'Overview' }).waitFor();
    await press('KeyW', 'KeyN');
    expect(await page.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected')).toBe(
      'true',
    );
    await press('ArrowRight');
    await timeline.expectView(fitted);
    expect(await timeline.nextAnnouncement()).toContain(slowest);
  });

  test('arrows step through the events of a track and through the tracks', async () => {
    const { page } = timeline;
    await timeline
      .row(/CUDA calls/)
      .locator('.name')
      .click();
    await press('KeyN');
    const startOf = (announced: string) => /Start ([^,]+)/.exec(announced)?.[1] ?? '';
    const slowestCall = await timeline.nextAnnouncement();
    expect(slowestCall).toContain('Slowest call number 1');
    await press('ArrowRight');
    const next = await timeline.nextAnnouncement(slowestCall);
    expect(startOf(next) > startOf(slowestCall)).toBe(true);
    await press('ArrowLeft');
    const back = await timeline.nextAnnouncement(next);
    expect(startOf(back)).toBe(startOf(slowestCall));
    await press('ArrowDown');
    await expect.poll(() => isFocused(/State/)).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toMatch(
      /^off_cpu/,
    );
    await press('ArrowUp', 'ArrowUp');
    await expect.poll(() => isFocused(/GPU idle/)).toBe('true');
    await press('ArrowUp');
    await expect.poll(() => isFocused(/Steps/)).toBe('true');
  });

  test('P pins and unpins, E opens and closes, H hides, and what is hidden comes back', async () => {
    const { page } = timeline;
    await timeline
      .row(/Annotations/)
      .locator('.name')
      .click();
    await press('KeyP');
    await expect
      .poll(() => timeline.rowNames().then((names) => names.slice(0, 2).join()))
      .toMatch(/Pinned.*Annotations/s);
    await press('KeyP');
    await expect.poll(() => timeline.row(/Pinned/).count()).toBe(0);

    await timeline
      .row(/CUDA calls/)
      .locator('.name')
      .click();
    const heightOf = async () => (await timeline.row(/CUDA calls/).boundingBox())?.height ?? 0;
    const closed = await heightOf();
    await press('KeyE');
    await expect.poll(heightOf).toBeGreaterThan(closed);
    expect(await timeline.row(/CUDA calls/).getAttribute('aria-expanded')).toBe('true');
    await press('KeyE');
    await expect.poll(heightOf).toBe(closed);

    await press('KeyH');
    await expect.poll(() => timeline.row(/CUDA calls/).count()).toBe(0);
    await page.getByText('1 hidden').click();
    await page.getByRole('button', { name: /Show CUDA calls/ }).click();
    await timeline.row(/CUDA calls/).waitFor();
    await expect.poll(() => isFocused(/CUDA calls/)).toBe('true');
    expect(await page.getByText(/\d hidden/).count()).toBe(0);
  });

  test('G goes to a time, and says which are none', async () => {
    const { page } = timeline;
    await press('KeyW', 'KeyW', 'KeyW');
    const before = await timeline.expectViewLeft(whole);
    await press('KeyG');
    const dialog = page.getByRole('dialog', { name: 'Go to a time' });
    await dialog.waitFor();
    await page.keyboard.type('nonsense');
    await expect.poll(() => dialog.innerText()).toContain('Not a time.');
    await dialog.getByRole('textbox').fill('99s');
    await expect.poll(() => dialog.innerText()).toContain('The trace ends at');
    await dialog.getByRole('textbox').fill('5.5 s');
    await press('Enter');
    const after = await timeline.expectViewLeft(before);
    expect((after.startNs + after.endNs) / 2).toBeCloseTo(5.5e9, -1);
    expect(await dialog.isVisible()).toBe(false);
  });

  test('/ filters tracks and events; Enter and Shift+Enter go through the matches', async () => {
    const { page, filter } = timeline;
    await press('Slash');
    await expect.poll(() => filter.evaluate((box) => box === document.activeElement)).toBe(true);
    const pid = /worker 0 · pid (\d+)/.exec((await timeline.rowNames()).join())?.[1] ?? '';
    await page.keyboard.type(`pid:${pid}`);
    await expect
      .poll(async () => (await timeline.rowNames()).every((name) => !name.includes('worker 1')))
      .toBe(true);
    expect((await timeline.rowNames()).length).toBeGreaterThan(1);
    await filter.fill('name:memcpy dur>5ms');
    await press('Enter');
    await expect.poll(nameOfSelected).toMatch(/Memcpy/);
    const first = await timeline.nextAnnouncement();
    await press('Enter');
    const second = await timeline.nextAnnouncement(first);
    expect(Number(/Duration ([\d.]+) ms/.exec(second)?.[1])).toBeGreaterThan(5);
    await press('Shift+Enter');
    await expect.poll(timeline.announcement).toBe(first);
    // The keys are text in here.
    await filter.fill('');
    await page.keyboard.type('wsadnfrphe0?/');
    expect(await filter.inputValue()).toBe('wsadnfrphe0?/');
    expect(await timeline.view()).toEqual(whole);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await press('Escape');
    await expect.poll(() => filter.inputValue()).toBe('');
    await press('Escape');
    await expect.poll(() => filter.evaluate((box) => box === document.activeElement)).toBe(false);
  });

  test('a half typed filter keeps the tracks', async () => {
    const tracks = (await timeline.rowNames()).length;
    await press('Slash');
    await timeline.page.keyboard.type('name:');
    await expect.poll(async () => (await timeline.rowNames()).length).toBe(tracks);
    await press('Escape', 'Escape');
  });

  test('an empty timeline says why, and brings back what was hidden', async () => {
    const { page, filter } = timeline;
    const says = (text: string) => expect.poll(() => page.getByText(text).count()).toBe(1);
    await filter.fill('no such track');
    await says('No track matches the filter.');
    await filter.fill('Annotations');
    await timeline
      .row(/Annotations/)
      .locator('.name')
      .click();
    await press('KeyH');
    await says('All tracks that match are hidden.');
    await page.getByRole('button', { name: 'Show all', exact: true }).last().click();
    await timeline.row(/Annotations/).waitFor();
    await filter.fill('');
    await timeline.row(/CUDA calls/).waitFor();
  });

  test('? lists every key, Escape closes it and leaves the selection', async () => {
    const { page } = timeline;
    await press('KeyN');
    await expect.poll(timeline.announcement).not.toBe('');
    const fitted = await timeline.expectViewLeft(whole);
    await press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys and mouse' });
    await sheet.waitFor();
    for (const text of [
      'Zoom in',
      'Previous view',
      'Next slow CUDA call',
      'Alt+drag',
      'Waiting for a CPU',
    ])
      expect(await sheet.innerText()).toContain(text);
    await press('KeyW');
    expect(await timeline.view()).toEqual(fitted);
    await press('Escape');
    await expect.poll(() => sheet.isVisible()).toBe(false);
    expect(await timeline.announcement()).not.toBe('');
  });

  test('Tab goes from the filter over the buttons to the focused track and on', async () => {
    const { page, filter } = timeline;
    await timeline
      .row(/CUDA calls/)
      .locator('.name')
      .click();
    await filter.focus();
    const stops: string[] = [];
    for (let stop = 0; stop < 9; stop++) {
      await press('Tab');
      stops.push(
        await page.evaluate(() => {
          const element = document.activeElement;
          return (
            element?.getAttribute('data-row') ??
            element?.getAttribute('aria-label') ??
            element?.textContent?.trim() ??
            ''
          );
        }),
      );
    }
    expect(stops).toEqual([
      'Next slow call',
      'Go to…',
      'Zoom in',
      'Zoom out',
      'All',
      'Start fresh',
      'Keys and mouse',
      expect.stringMatching(/^cuda_call:/),
      'Width of the tracks',
    ]);
  });
});
