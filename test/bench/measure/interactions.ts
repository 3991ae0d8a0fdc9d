/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/**
 * How long an open timeline takes to answer who works with it, timed inside the page: waiting from outside
 * would measure the waiting. A thing counts as shown once it is in the document.
 */

/** Where on the chart is pointed, shares of its width. */
const PLACES = [0.21, 0.47, 0.79];
/** How often an empty hover is timed. */
const FLOOR_ROUNDS = 20;
/** What is shown later than this is not shown. */
const PATIENCE_MS = 60_000;

/** Put into the page: waits until `isShown`, looking after each change of the document. */
const WAITING = `
  window.whenShown = (isShown, patienceMs) => new Promise((resolve, reject) => {
    const look = () => {
      if (!isShown()) return;
      const shownMs = performance.now();
      watcher.disconnect();
      clearTimeout(timer);
      resolve(shownMs);
    };
    const watcher = new MutationObserver(look);
    const timer = setTimeout(() => {
      watcher.disconnect();
      reject(new Error('it was not shown'));
    }, patienceMs);
    watcher.observe(document.body,
      { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  });
  0`;

type WhenShown = (isShown: () => boolean, patienceMs: number) => Promise<number>;

export interface Hover {
  /** Until name, duration and what else the page has of an event are shown, ms. */
  readonly facts: number;
  /** Until what the trace process adds is shown too, ms; the same where that is nothing. */
  readonly all: number;
}

/** Points at events on all rows in view. */
export async function hovers(page: Page): Promise<Hover[]> {
  return page.locator('.timeline .tracks').evaluate(async (element, shares) => {
    const box = element.getBoundingClientRect();
    const rows = [...document.querySelectorAll('.timeline [data-row]')].map((row) =>
      row.getBoundingClientRect(),
    );
    const told: { facts: number; all: number }[] = [];
    const point = (type: string, x: number, y: number) =>
      element.dispatchEvent(
        new PointerEvent(type, {
          clientX: x,
          clientY: y,
          pointerId: 1,
          bubbles: type !== 'pointerleave',
        }),
      );
    const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    for (const row of rows)
      for (const share of shares) {
        let facts: number | undefined;
        let all = 0;
        const begun = performance.now();
        const watcher = new MutationObserver(() => {
          if (document.querySelector('.tooltip dd') === null) return;
          all = performance.now() - begun;
          facts ??= all;
        });
        watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
        point('pointermove', box.left + box.width * share, row.top + row.height / 2);
        // No event is there, or the answer for its row comes.
        await rest(100);
        watcher.disconnect();
        point('pointerleave', 0, 0);
        await rest(0);
        if (facts !== undefined) told.push({ facts, all });
      }
    return told;
  }, PLACES);
}

/** What the least takes that a hover has to do, in this page: a listener that inserts the elements of a tooltip and measures them, ms. */
export async function hoverFloor(page: Page): Promise<number[]> {
  return page.evaluate(async (rounds) => {
    const corner = document.body.appendChild(document.createElement('div'));
    let shown: HTMLElement | undefined;
    corner.addEventListener('pointermove', () => {
      shown = corner.appendChild(document.createElement('div'));
      shown.style.position = 'fixed';
      const list = shown.appendChild(document.createElement('dl'));
      for (const fact of ['Duration', 'Start', 'Thread'])
        for (const tag of ['dt', 'dd']) list.appendChild(document.createElement(tag)).append(fact);
      shown.style.transform = `translate(${shown.offsetWidth}px, ${shown.offsetHeight}px)`;
    });
    const told: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now();
      const watcher = new MutationObserver(() => told.push(performance.now() - begun));
      watcher.observe(corner, { childList: true });
      corner.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 100));
      watcher.disconnect();
      shown?.remove();
    }
    corner.remove();
    return told;
  }, FLOOR_ROUNDS);
}

/** Types a filter and asks for the first event that it finds; until that is announced, ms. */
export async function findFirst(page: Page, filter: string): Promise<number> {
  const box = page.getByLabel('Filter tracks and events');
  await box.fill('');
  await box.press('Escape');
  for (const key of ['Escape', 'Escape', 'Digit0']) await page.keyboard.press(key);
  await page.locator('.timeline .tracks[aria-busy="false"]').waitFor();
  await page.evaluate(WAITING);
  return box.evaluate(
    async (element, { filter, patienceMs }) => {
      const { whenShown } = globalThis as unknown as { whenShown: WhenShown };
      const box = element as HTMLInputElement;
      const announced = () => document.querySelector('.announcer')?.textContent?.trim() ?? '';
      const before = announced();
      const begun = performance.now();
      box.value = filter;
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
      const enter = { code: 'Enter', key: 'Enter', bubbles: true };
      box.dispatchEvent(new KeyboardEvent('keydown', enter));
      const isFound = () => announced() !== '' && announced() !== before;
      return (await whenShown(isFound, patienceMs)) - begun;
    },
    { filter, patienceMs: PATIENCE_MS },
  );
}

/** Selects a range over all rows in view, shares of the chart's width; from its last move to its figures, ms. */
export async function countRange(page: Page, from: number, to: number): Promise<number> {
  const clear = page.getByRole('region', { name: 'Selected range' }).getByText('Clear');
  if ((await clear.count()) > 0) await clear.click();
  const chart = await page.locator('.timeline .tracks').boundingBox();
  if (chart === null) throw new Error('the timeline is not on screen');
  await page.evaluate(WAITING);
  await page.evaluate((patienceMs) => {
    const { whenShown } = globalThis as unknown as { whenShown: WhenShown };
    let begun = 0;
    const note = () => {
      begun = performance.now();
    };
    addEventListener('pointermove', note, { capture: true });
    const isCounted = () => {
      const summary = document.querySelector('section[aria-label="Selected range"]');
      const isThere = summary?.querySelector('tbody tr') != null;
      return isThere && summary?.textContent?.includes('counting…') === false;
    };
    const counted = whenShown(isCounted, patienceMs).then((shownMs) => {
      removeEventListener('pointermove', note, { capture: true });
      return shownMs - begun;
    });
    Object.assign(globalThis, { counted });
  }, PATIENCE_MS);
  await page.mouse.move(chart.x + from * chart.width, chart.y + 4);
  await page.mouse.down();
  await page.mouse.move(chart.x + to * chart.width, chart.y + chart.height - 4);
  await page.mouse.up();
  return (await page.evaluate('counted')) as number;
}
