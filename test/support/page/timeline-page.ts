/// <reference lib="dom" />
import { DatabaseSync } from 'node:sqlite';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { simulatedTrace } from '../simulated-trace.ts';
import { type AppPage, openAppPage } from './app-page.ts';

/** Listed as the sample by the hosts of the tests. */
export const samplePath = simulatedTrace;

interface View {
  readonly startNs: number;
  readonly endNs: number;
}

type Modifier = 'Alt' | 'Control' | 'Shift';

/** The timeline as a user drives it: places on its tracks, what is in view, what is selected. */
export interface TimelinePage {
  readonly app: AppPage;
  readonly page: Page;
  readonly panel: Locator;
  readonly rangeBar: Locator;
  readonly filter: Locator;
  /** Waits for the last rows. Each table and the diagnosis bring some, which move those below them. */
  settled(): Promise<void>;
  /** The row of a track or group by its label. */
  row(name: RegExp): Locator;
  /** The names of the rows from top to bottom. */
  rowNames(): Promise<string[]>;
  /** What the ruler says is in view, ns from the trace's begin. */
  view(): Promise<View>;
  /** Waits until the view is (no longer) `view`. */
  expectView(view: View): Promise<void>;
  expectViewLeft(view: View): Promise<View>;
  /** The place on the page of `share` of the chart's width, at the height of a row. */
  place(name: RegExp, share: number): Promise<{ x: number; y: number }>;
  /** Where in view a moment is, as a share of the chart's width. */
  shareOf(ns: number): Promise<number>;
  drag(name: RegExp, from: number, to: number, held?: Modifier | 'Space'): Promise<void>;
  /** The same from the row `name` to the row `other`. */
  dragAcross(name: RegExp, other: RegExp, from: number, to: number): Promise<void>;
  wheel(
    name: RegExp,
    share: number,
    by: readonly [x: number, y: number],
    held?: Modifier,
  ): Promise<void>;
  /** What is announced now: nothing while the facts of a selected row are on their way. */
  announcement(): Promise<string>;
  /** What is announced, once anything is and it is not `before`. */
  nextAnnouncement(before?: string): Promise<string>;
  /** The colours of the chart's pixels along the middle of a row, `#rrggbb` from left to right, once its events are here. */
  pixels(name: RegExp): Promise<string[]>;
}

/** Once what is said of the view is also drawn: the frame that was asked for is over. */
export function nextFrame(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
}

/** `+12.345 678 901 s` as ns. */
export function parseMoment(text: string): number {
  const digits = /([+−])(\d+)\.(\d{3})\s(\d{3})\s(\d{3}) s/.exec(text)?.slice(2).join('');
  if (digits === undefined) throw new Error(`no moment in "${text}"`);
  return Number(digits);
}

/** Durations of the sample's outermost CUDA calls, longest first, read from its file. */
export function slowestCallsNs(count: number): number[] {
  const database = new DatabaseSync(samplePath, { readOnly: true });
  const rows = database
    .prepare(
      'SELECT duration_ns AS ns FROM cuda_call WHERE parent_call_id IS NULL ORDER BY ns DESC LIMIT ?',
    )
    .all(count);
  database.close();
  return rows.map(({ ns }) => Number(ns));
}

/** Waits for the last rows of the timeline on a page. */
export const rowsSettled = (page: Page): Promise<void> =>
  page.locator('.timeline [role=treegrid][aria-busy=false]').waitFor();

/** Opens `path` (the sample without one) on its timeline, once all of its rows are there. */
export async function openTimeline(path: string = samplePath): Promise<TimelinePage> {
  const timeline = await openLoadingTimeline(path, () => Promise.resolve());
  await timeline.settled();
  return timeline;
}

/** The same while rows may still come; `prepare` may hold something back. */
export async function openLoadingTimeline(
  path: string,
  prepare: (page: Page) => Promise<unknown>,
): Promise<TimelinePage> {
  const app = await openAppPage({ args: [path] });
  const { page } = app;
  await prepare(page);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page
    .getByRole('row', { name: /CUDA calls/ })
    .first()
    .waitFor();
  await page.getByRole('img', { name: /^In view/ }).waitFor();
  return timelinePage(app);
}

function timelinePage(app: AppPage): TimelinePage {
  const { page } = app;
  const chart = page.locator('.timeline .tracks');
  const ruler = page.getByRole('img', { name: /^In view/ });
  const rows = page.locator('.timeline [data-row]');
  const row = (name: RegExp) => rows.filter({ hasText: name }).first();

  async function view(): Promise<View> {
    const [from = '', to = ''] = ((await ruler.getAttribute('aria-label')) ?? '').split(' to ');
    return { startNs: parseMoment(from), endNs: parseMoment(to) };
  }
  const announcement = async () => (await page.locator('.announcer').textContent()) ?? '';
  async function place(name: RegExp, share: number) {
    // A tab that was chosen just now, or a key that is still being answered, may bring it.
    await row(name).waitFor();
    const [track, box] = await Promise.all([row(name).boundingBox(), chart.boundingBox()]);
    if (track === null || box === null) throw new Error(`${String(name)} is not on screen`);
    return { x: box.x + share * box.width, y: track.y + track.height / 2 };
  }
  async function holding(key: Modifier | 'Space' | undefined, act: () => Promise<void>) {
    if (key !== undefined) await page.keyboard.down(key);
    await act();
    if (key !== undefined) await page.keyboard.up(key);
  }
  type Place = Awaited<ReturnType<typeof place>>;
  async function dragBetween(start: Place, end: Place, held?: Modifier | 'Space') {
    await page.mouse.move(start.x, start.y);
    await holding(held, async () => {
      await page.mouse.down();
      await page.mouse.move((start.x + end.x) / 2, start.y);
      await page.mouse.move(end.x, end.y);
      await page.mouse.up();
    });
  }

  return {
    app,
    page,
    panel: page.getByRole('complementary', { name: 'Why slow' }),
    rangeBar: page.getByRole('region', { name: 'Selected range' }),
    filter: page.getByLabel('Filter tracks and events'),
    settled: () => rowsSettled(page),
    row,
    rowNames: () => rows.allInnerTexts(),
    view,
    expectView: (expected) => expect.poll(view).toEqual(expected),
    async expectViewLeft(left) {
      await expect.poll(view).not.toEqual(left);
      return view();
    },
    place,
    async shareOf(ns) {
      const { startNs, endNs } = await view();
      return (ns - startNs) / (endNs - startNs);
    },
    drag: async (name, from, to, held) =>
      dragBetween(await place(name, from), await place(name, to), held),
    dragAcross: async (name, other, from, to) =>
      dragBetween(await place(name, from), await place(other, to)),
    async wheel(name, share, [x, y], held) {
      const at = await place(name, share);
      await page.mouse.move(at.x, at.y);
      await holding(held, () => page.mouse.wheel(x, y));
    },
    announcement,
    async nextAnnouncement(before = '') {
      let next = '';
      await expect
        .poll(async () => {
          next = await announcement();
          return next !== '' && next !== before;
        })
        .toBe(true);
      return next;
    },
    async pixels(name) {
      // What was zoomed to is drawn from coarser tiles until its own are here: asked for by the frame that draws it.
      await nextFrame(page);
      await page.locator('.timeline .tracks[aria-busy="false"]').waitFor();
      await nextFrame(page);
      const { y } = await place(name, 0);
      return chart.evaluate((element, pageY) => {
        const canvas = element.querySelector('canvas');
        const context = canvas?.getContext('2d');
        if (canvas == null || context == null) return [];
        const top = Math.round((pageY - element.getBoundingClientRect().top) * devicePixelRatio);
        const { data } = context.getImageData(0, top, canvas.width, 1);
        return Array.from({ length: canvas.width }, (_, pixel) =>
          [...data.subarray(pixel * 4, pixel * 4 + 3)].reduce(
            (hex, channel) => hex + channel.toString(16).padStart(2, '0'),
            '#',
          ),
        );
      }, y);
    },
  };
}
