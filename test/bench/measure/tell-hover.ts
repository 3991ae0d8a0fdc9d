import type { Browser, Page } from 'playwright-core';
import { median } from '../../support/median.ts';
import { tell } from './figures.ts';
import { hoverFloor, hovers } from './interactions.ts';
import { goalAt } from './sizes.ts';
import { showEvents } from './timeline-app.ts';

const HOVER_MS = 1;

/** How soon an open timeline tells what is under the pointer; beside it what the least takes in that page, and in an empty one. */
export async function tellHover(browser: Browser, events: number, page: Page): Promise<void> {
  await showEvents(page, events);
  const pointed = await hovers(page);
  const facts = pointed.map((hover) => hover.facts);
  const least = await hoverFloor(page);
  const empty = await browser.newPage();
  const leastEmpty = await hoverFloor(empty);
  await empty.close();
  const tellMs = (figure: string, of: (values: readonly number[]) => number) =>
    tell({
      ...{ size: events, figure, unit: 'ms', value: of(facts), ...goalAt(events, HOVER_MS) },
      floors: [
        { name: 'an empty hover', value: of(least) },
        { name: 'an empty hover in an empty page', value: of(leastEmpty) },
      ],
    });
  tellMs('hover, facts shown', median);
  tellMs('hover, facts shown, longest', (values) => Math.max(...values));
  const all = pointed.map((hover) => hover.all);
  tell({ size: events, figure: 'hover, all facts of its row', unit: 'ms', value: median(all) });
}
