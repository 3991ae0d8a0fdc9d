import type { Browser, CDPSession, Page } from 'playwright-core';
import { largeTrace } from '../../support/large-trace.ts';
import { type BrowserHost, startBrowserHost } from '../../support/page/browser-host.ts';
import { eventsReachNs, OUTLIERS_REACH_NS } from '../traces/generate-trace.ts';
import { SIZES } from './frames.ts';

/** At most so long until the tracks of a large trace are there, ms. */
const OPENS_MS = 600_000;

export interface TimelineApp {
  readonly host: BrowserHost;
  readonly page: Page;
  /** Chromium's own view of the page. */
  readonly session: CDPSession;
}

/** Opens a generated trace on its timeline, in the browser mode of the app; `act` has it until it ends. */
export async function withTimeline(
  browser: Browser,
  events: number,
  act: (app: TimelineApp) => Promise<void>,
): Promise<void> {
  const host = await startBrowserHost([largeTrace(events)]);
  try {
    const page = await browser.newPage({ viewport: SIZES[0] });
    page.setDefaultTimeout(OPENS_MS);
    await page.goto(host.link);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('.timeline [role=row]').first().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await act({ host, page, session });
    await page.close();
  } finally {
    await host.stop();
  }
}

/** Shows the stretch of the trace that holds its events: behind it a small one is empty. */
export async function showEvents(page: Page, events: number): Promise<void> {
  await page.keyboard.press('Digit0');
  const chart = await page.locator('.timeline .tracks').boundingBox();
  if (chart === null) throw new Error('the timeline is not on screen');
  const reachNs = eventsReachNs(events);
  const share = reachNs / (reachNs + OUTLIERS_REACH_NS);
  const y = chart.y + chart.height / 2;
  await page.keyboard.down('Alt');
  // From the right: on the chart's left edge lies the handle that resizes the labels.
  await page.mouse.move(chart.x + share * chart.width, y);
  await page.mouse.down();
  await page.mouse.move(chart.x, y, { steps: 2 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  await page.mouse.move(0, 0);
  await page.locator('.timeline .tracks[aria-busy="false"]').waitFor();
}
