import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatCount, formatDuration } from '../../src-main/shared/text/units.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import {
  nextFrame,
  openTimeline,
  parseMoment,
  slowestCallsNs,
  type TimelinePage,
} from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * Clicks where the pointer finds `state`: what is drawn, and found under the pointer, comes a
 * moment after the view.
 */
async function clickOnState({ page, place }: TimelinePage, state: string): Promise<void> {
  const shares = [0.15, 0.2, 0.25, 0.3];
  const tooltip = page.locator('.tooltip');
  let tries = 0;
  await expect
    .poll(async () => {
      const { x, y } = await place(/State/, shares[tries++ % shares.length] ?? 0);
      await page.mouse.move(x, y);
      await nextFrame(page);
      return (await tooltip.allInnerTexts()).join();
    })
    .toContain(state);
  await page.mouse.down();
  await page.mouse.up();
}

/** A view that only moved may be a rounding longer or shorter, ns. */
const LENGTH_TOLERANCE = 2;

describeWith(['chromium'], 'the timeline under the mouse', () => {
  let timeline: TimelinePage;
  let whole: { startNs: number; endNs: number };

  beforeAll(async () => {
    timeline = await openTimeline();
    whole = await timeline.view();
  });
  beforeEach(async () => {
    const { page } = timeline;
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Digit0');
    await timeline.expectView(whole);
  });
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  /** Zooms in so that there is room to move on both sides. */
  async function zoomIn(): Promise<{ startNs: number; endNs: number }> {
    await timeline.wheel(/CUDA calls/, 0.5, [0, -100], 'Control');
    const left = await timeline.expectViewLeft(whole);
    await timeline.wheel(/CUDA calls/, 0.5, [0, -100], 'Control');
    return timeline.expectViewLeft(left);
  }
  const spanOf = (view: { startNs: number; endNs: number }) => view.endNs - view.startNs;

  test('marks lie over the tracks only while something is marked; the pointer has a line of its own', async () => {
    const { page } = timeline;
    const marks = page.locator('.timeline .overlay canvas');
    await page.mouse.move(5, 5);
    await expect.poll(() => marks.isVisible()).toBe(false);
    await page.keyboard.press('KeyN');
    await expect.poll(() => marks.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => marks.isVisible()).toBe(false);
    const { x, y } = await timeline.place(/Training process/, 0.6);
    await page.mouse.move(x, y);
    const line = page.locator('.timeline .overlay .pointer');
    await expect
      .poll(async () => Math.round((await line.boundingBox())?.x ?? 0))
      .toBe(Math.round(x));
    await page.mouse.move(5, 5);
    await expect.poll(() => line.count()).toBe(0);
  });

  test('a click on a state tells of it, and leads back to the call', async () => {
    const { page, panel } = timeline;
    const selectCall = async () => {
      await page.keyboard.press('KeyN');
      await expect.poll(() => panel.textContent()).toContain('Waiting for a CPU');
    };
    await selectCall();
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyF');
    // A view that still moves on a busy machine may take what was pointed at away from under the pointer.
    await expect
      .poll(async () => {
        await clickOnState(timeline, 'Waiting for a CPU');
        const found = await panel
          .getByRole('article', { name: /^Selected event: Waiting for a CPU/ })
          .count();
        // Beside it: the panel leads back to a call only from what was picked after one.
        if (found === 0) {
          await page.keyboard.press('Escape');
          await selectCall();
        }
        return found;
      })
      .toBe(1);
    const text = (await panel.textContent()) ?? '';
    expect(text).toContain('Waiting for a CPU (runnable)');
    expect(text).toMatch(/Duration\s*[\d.]+ \S+ \([\d\u202f]+ ns\)/);
    // What the page does not hold of every row is asked for.
    await expect.poll(() => panel.textContent()).toMatch(/Run-queue delay/);
    await expect.poll(() => panel.textContent()).toContain('Before it on the CPU it came back on');
    const runners = panel.getByRole('region', { name: /^Who ran instead/ });
    await expect.poll(() => runners.innerText()).toMatch(/· pid \d+.*on CPU \d/s);
    // The pointer is still on it.
    await expect
      .poll(() => timeline.page.locator('.tooltip').innerText())
      .toMatch(/Ran instead.* · pid \d+/s);
    await panel.getByRole('button', { name: /^← Back to cuda/ }).click();
    await panel.getByRole('article', { name: /^Why slow: cuda/ }).waitFor();
  });

  test('the wheel scrolls the tracks and leaves the time', async () => {
    const top = async () => (await timeline.row(/CUDA calls/).boundingBox())?.y ?? 0;
    const before = await top();
    await timeline.wheel(/CUDA calls/, 0.5, [0, 120]);
    await expect.poll(top).toBeLessThan(before);
    expect(await timeline.view()).toEqual(whole);
    await timeline.wheel(/Annotations/, 0.5, [0, -400]);
    await expect.poll(top).toBe(before);
  });

  test.each([
    ['Shift+wheel', [0, 100], 'Shift'],
    ['a horizontal wheel', [100, 0], undefined],
  ] as const)('%s moves in time', async (_, by, held) => {
    const before = await zoomIn();
    await timeline.wheel(/CUDA calls/, 0.5, by, held);
    const after = await timeline.expectViewLeft(before);
    expect(after.startNs).toBeGreaterThan(before.startNs);
    expect(Math.abs(spanOf(after) - spanOf(before))).toBeLessThanOrEqual(LENGTH_TOLERANCE);
  });

  test('Ctrl+wheel zooms, and the moment under the pointer stays', async () => {
    const before = await timeline.view();
    await timeline.wheel(/CUDA calls/, 0.25, [0, -100], 'Control');
    const after = await timeline.expectViewLeft(before);
    expect(spanOf(after)).toBeLessThan(spanOf(before));
    const pixelNs = spanOf(before) / 500;
    const momentOf = (view: typeof before) => view.startNs + 0.25 * spanOf(view);
    expect(Math.abs(momentOf(after) - momentOf(before))).toBeLessThan(pixelNs);
  });

  test('Ctrl+wheel never reaches the browser, which would zoom the page', async () => {
    const { page } = timeline;
    await page.evaluate(() =>
      addEventListener('wheel', (event) => {
        document.documentElement.dataset.wheel = event.defaultPrevented ? 'ours' : 'the browser’s';
      }),
    );
    await timeline.wheel(/CUDA calls/, 0.5, [0, 100], 'Control');
    await expect.poll(() => page.locator('html').getAttribute('data-wheel')).toBe('ours');
    expect(await timeline.view()).toEqual(whole);
  });

  test.each(['Shift', 'Space', 'middle'] as const)('%s+drag moves in time', async (held) => {
    const { page } = timeline;
    const before = await zoomIn();
    if (held === 'middle') {
      const from = await timeline.place(/CUDA calls/, 0.6);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down({ button: 'middle' });
      await page.mouse.move(from.x - 60, from.y);
      await page.mouse.move(from.x - 120, from.y);
      await page.mouse.up({ button: 'middle' });
    } else await timeline.drag(/CUDA calls/, 0.6, 0.4, held);
    const after = await timeline.expectViewLeft(before);
    expect(after.startNs).toBeGreaterThan(before.startNs);
    const share = (after.startNs - before.startNs) / spanOf(before);
    expect(share).toBeCloseTo(0.2, 1);
    expect(await timeline.rangeBar.count()).toBe(0);
  });

  test('a drag selects a range of the time it spans', async () => {
    await timeline.drag(/Training process/, 0.25, 0.75);
    const [from = '', to = ''] = (await timeline.rangeBar.locator('.muted').innerText()).split(
      'to',
    );
    expect(parseMoment(from) / spanOf(whole)).toBeCloseTo(0.25, 2);
    expect(parseMoment(to) / spanOf(whole)).toBeCloseTo(0.75, 2);
    expect(await timeline.view()).toEqual(whole);
    await timeline.page.keyboard.press('Escape');
    await expect.poll(() => timeline.rangeBar.count()).toBe(0);
  });

  test('its edges snap to events', async () => {
    const { page, rangeBar } = timeline;
    await page.keyboard.press('KeyN');
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyF');
    await page.keyboard.press('KeyR');
    const event = await rangeBar.locator('.muted').innerText();
    await page.keyboard.press('Escape');
    const [start = 0, end = 0] = await Promise.all(
      event.split('to').map((moment) => timeline.shareOf(parseMoment(moment))),
    );
    await timeline.drag(/CUDA calls/, start + 0.005, end - 0.005);
    await expect.poll(() => rangeBar.locator('.muted').innerText()).toBe(event);
  });

  test('Alt+drag zooms to the range, without snapping or leaving one', async () => {
    await timeline.drag(/CUDA calls/, 0.25, 0.75, 'Alt');
    const view = await timeline.expectViewLeft(whole);
    expect(view.startNs / spanOf(whole)).toBeCloseTo(0.25, 2);
    expect(view.endNs / spanOf(whole)).toBeCloseTo(0.75, 2);
    expect(await timeline.rangeBar.count()).toBe(0);
  });

  test('hover names the event, a click selects it, a double click fits it', async () => {
    const { page, panel } = timeline;
    await page.keyboard.press('KeyN');
    await expect.poll(timeline.announcement).toMatch(/^Slowest call number 1: cudaMemcpyAsync/);
    const [, start = ''] = /Start ([^,]+)/.exec(await timeline.announcement()) ?? [];
    const [slowestNs = 0] = slowestCallsNs(1);
    const spoken = `cudaMemcpyAsync, Duration ${formatDuration(slowestNs)}, Start`;
    expect(await timeline.announcement()).toContain(spoken);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.textContent()).toContain('Pick a CUDA call');
    await page.keyboard.press('Digit0');
    await timeline.expectView(whole);

    const at = await timeline.place(
      /CUDA calls/,
      (await timeline.shareOf(parseMoment(start))) + 0.001,
    );
    await page.mouse.move(at.x, at.y);
    const tooltip = page.locator('.tooltip');
    await expect.poll(() => tooltip.innerText()).toContain(formatDuration(slowestNs));
    const facts = /^cudaMemcpyAsync.*Start.*Thread.*tid \d+.*Size.*MiB.*Direction.*H2D/s;
    await expect.poll(() => tooltip.innerText()).toMatch(facts);
    const outline = await page.locator('.timeline .hovered').boundingBox();
    expect(outline?.x).toBeLessThan(at.x);
    expect((outline?.x ?? 0) + (outline?.width ?? 0)).toBeGreaterThan(at.x);
    // What is drawn of the selection and the chain is not drawn again for it.
    expect(await page.locator('.timeline .overlay canvas').isVisible()).toBe(false);
    await page.mouse.click(at.x, at.y);
    await expect.poll(timeline.announcement).toContain(spoken);
    await openHowKnown(page);
    await expect.poll(() => panel.textContent()).toContain(formatCount(slowestNs));
    await page.mouse.dblclick(at.x, at.y);
    const view = await timeline.expectViewLeft(whole);
    expect(spanOf(view) / slowestNs).toBeCloseTo(1.2, 2);
    await page.mouse.move(5, 5);
    await expect.poll(() => tooltip.count()).toBe(0);
    expect(await page.locator('.timeline .hovered').count()).toBe(0);
  });

  test('a tooltip is beside the pointer, where there is room on the chart', async () => {
    const { page } = timeline;
    const tooltip = page.locator('.tooltip');
    // The slowest call is as wide as the view but a little.
    await page.keyboard.press('KeyN');
    await expect.poll(timeline.announcement).toMatch(/^Slowest call number 1/);
    for (const [share, isRight] of [
      [0.2, true],
      [0.88, false],
    ] as const) {
      const at = await timeline.place(/CUDA calls/, share);
      await page.mouse.move(at.x, at.y);
      const isPlaced = async () => {
        const box = await tooltip.boundingBox();
        return box !== null && (isRight ? box.x > at.x : box.x + box.width < at.x);
      };
      await expect.poll(isPlaced).toBe(true);
    }
    await page.mouse.move(5, 5);
  });

  test('keys that move the view tell what lies under a pointer that rests', async () => {
    const { page } = timeline;
    const told = async () => (await page.locator('.tooltip').allInnerTexts()).join();
    await page.keyboard.press('KeyN');
    await expect.poll(timeline.announcement).toMatch(/^Slowest call number 1/);
    const { x, y } = await timeline.place(/CUDA calls/, 0.5);
    await page.mouse.move(x, y);
    await expect.poll(told).toContain('cudaMemcpyAsync');
    const before = await told();
    const fitted = await timeline.view();
    for (const _ of Array(3)) await page.keyboard.press('Shift+KeyD');
    await timeline.expectViewLeft(fitted);
    await expect.poll(told).not.toBe(before);
    // As where the pointer comes there anew.
    await expect
      .poll(async () => {
        const rested = await told();
        await page.mouse.move(5, 5);
        await page.mouse.move(x, y);
        await nextFrame(page);
        return (await told()) === rested;
      })
      .toBe(true);
    for (const _ of Array(3)) await page.keyboard.press('Shift+KeyA');
    await expect.poll(told).toBe(before);
    await page.mouse.move(5, 5);
  });

  test('a click where nothing is takes the selection back', async () => {
    const { page, panel } = timeline;
    await page.keyboard.press('KeyN');
    await panel.getByRole('article', { name: /^Why slow: cuda/ }).waitFor();
    await page.keyboard.press('Digit0');
    await timeline.expectView(whole);
    const at = await timeline.place(/CUDA calls/, 0.03);
    await page.mouse.click(at.x, at.y);
    await expect.poll(timeline.announcement).toBe('');
    await expect.poll(() => panel.textContent()).toContain('Pick a CUDA call');
  });

  test('the minimap moves the view, its edges resize it', async () => {
    const { page } = timeline;
    const map = await page.locator('.timeline .minimap').boundingBox();
    if (map === null) throw new Error('no minimap');
    const y = map.y + map.height / 2;
    const dragOnMap = async (from: number, to: number) => {
      await page.mouse.move(map.x + from * map.width, y);
      await page.mouse.down();
      await page.mouse.move(map.x + ((from + to) / 2) * map.width, y);
      await page.mouse.move(map.x + to * map.width, y);
      await page.mouse.up();
    };
    await dragOnMap(0.995, 0.5);
    const resized = await timeline.expectViewLeft(whole);
    expect(resized.startNs).toBe(0);
    expect(resized.endNs / spanOf(whole)).toBeCloseTo(0.5, 1);
    await dragOnMap(0.25, 0.5);
    const moved = await timeline.expectViewLeft(resized);
    expect(moved.startNs / spanOf(whole)).toBeCloseTo(0.25, 1);
    expect(Math.abs(spanOf(moved) - spanOf(resized))).toBeLessThanOrEqual(LENGTH_TOLERANCE);
    await page.mouse.click(map.x + 0.9 * map.width, y);
    const jumped = await timeline.expectViewLeft(moved);
    expect(jumped.endNs).toBe(whole.endNs);
    await page.keyboard.press('Backspace');
    await timeline.expectView(moved);
  });

  test('a right click lists what can be done with the event and its track', async () => {
    const { page, panel } = timeline;
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    await page.keyboard.press('KeyN');
    await panel.getByRole('article', { name: /^Why slow: cuda/ }).waitFor();
    await page.keyboard.press('KeyV');
    const menu = page.getByRole('menu', { name: /^Actions for cudaMemcpyAsync/ });
    const choose = async (item: string) => {
      const { x, y } = await timeline.place(/CUDA calls/, 0.5);
      await page.mouse.click(x, y, { button: 'right' });
      await menu.getByRole('menuitem', { name: item }).click();
      await menu.waitFor({ state: 'detached' });
    };
    await choose('Copy its facts');
    await expect
      .poll(() => page.evaluate('window.copied ?? ""'))
      .toMatch(/^cudaMemcpyAsync\nStart: \d+ ns\nDuration: \d+ ns\nThread: /);
    await page.keyboard.press('Escape');
    await choose('Explain');
    await panel.getByRole('article', { name: /^Why slow: cuda/ }).waitFor();
    await choose('Filter to this name');
    await expect.poll(() => timeline.filter.inputValue()).toBe('name:cudaMemcpyAsync');
    await choose('Pin the track on top');
    await expect.poll(async () => (await timeline.rowNames())[0]).toContain('Pinned');
    // Of the track alone, from its name, by the keyboard too.
    await timeline
      .row(/CUDA calls/)
      .locator('.name')
      .click();
    await page.keyboard.press('Escape');
    await timeline
      .row(/CUDA calls/)
      .locator('.name')
      .click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Unpin the track' }).click();
    await expect.poll(() => timeline.row(/Pinned/).count()).toBe(0);
    await timeline.filter.fill('');
  });

  test('a press on a label focuses its row', async () => {
    await timeline
      .row(/Annotations/)
      .locator('.name')
      .click();
    await expect.poll(() => timeline.row(/Annotations/).getAttribute('aria-selected')).toBe('true');
    await timeline.page.keyboard.press('ArrowDown');
    await expect.poll(() => timeline.row(/CPU samples/).getAttribute('aria-selected')).toBe('true');
  });
});
