import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { TraceCache } from '../../src-main/trace/cache/trace-cache.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { sharedData } from '../support/requirements.ts';
import writeSimulatedTrace from '../support/simulated-trace.ts';
import { tell } from './measure/figures.ts';
import { GOAL_EVENTS, sizes } from './measure/sizes.ts';
import { readByShell, SHELL } from './measure/sqlite-peers.ts';

/**
 * From the user's Enter to figures on screen (first figures: the operations table; of a large file that is read, “so far”, with a
 * coarse timeline), to that table over all events, and to a complete timeline (every lane on the screen drawn from tiles of its
 * scale), in Chromium with software rendering: of a file that is added, of one in the library, and of one of which the cache
 * holds what was read and answered. The peer is SQLite in C that reads every column of the same tables, and draws nothing.
 */

const RUNS = 5;
/** The summary, the verdict, the operations, the tracks and the tiles of a large trace. */
const ANSWERS = 5;
const KEPT_WITHIN_MS = 60_000;

/**
 * Watches the page frame by frame from the key press on, inside the page: waiting from outside
 * would measure the waiting.
 */
const WATCH = `
  window.paints = new Promise((resolve) => {
    let start;
    let first;
    let all;
    let restful = 0;
    addEventListener('keydown', () => { start = performance.now(); }, { once: true, capture: true });
    const look = () => {
      const hasCalls = (place) =>
        [...document.querySelectorAll(place + ' td')].some((cell) => cell.textContent.trim() === 'CUDA');
      const isSoFar = document.querySelector('#panel-overview .so-far') !== null;
      const hasLanes = document.querySelector('#first-figures path') !== null;
      if (first === undefined && hasLanes && hasCalls('#first-figures'))
        first = performance.now() - start;
      if (all === undefined && !isSoFar && hasCalls('#panel-overview')) {
        all = performance.now() - start;
        first ??= all;
        document.querySelector('#tab-timeline').click();
      }
      // Tiles are asked for by the frame that lacks them.
      const isDrawn = document.querySelector('#panel-timeline [role=row]') !== null &&
        document.querySelector('#panel-timeline .tracks[aria-busy="false"]') !== null;
      restful = isDrawn ? restful + 1 : 0;
      if (all !== undefined && restful === 3) resolve({ first, all, complete: performance.now() - start });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  0`;

interface Times {
  readonly first: number;
  readonly all: number;
  readonly complete: number;
}

async function openOnce(page: Page, path: string): Promise<Times> {
  await page.getByRole('row', { name: /Sample/ }).waitFor();
  await page.getByLabel('Path on the machine').fill(path);
  await page.evaluate(WATCH);
  await page.keyboard.press('Enter');
  return (await page.evaluate('window.paints')) as Times;
}

const leave = (page: Page) => page.getByRole('button', { name: /Library/ }).click();

const cacheOf = ({ host }: AppPage) => join(host.dataFolder, 'cache');

/** What an earlier opening kept does not make the next one faster. */
const forget = (app: AppPage) =>
  rmSync(cacheOf(app), { recursive: true, force: true, maxRetries: 5 });

/** Whether what was read and answered of the only trace is kept for the next time. */
function isKept(app: AppPage): boolean {
  const folder = cacheOf(app);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const answers = names.filter((name) => name.endsWith('.answer'));
  return names.some((name) => name.endsWith('.columns')) && answers.length >= ANSWERS;
}

/** Small traces never are: their second opening is as their first. */
const isEverKept = (path: string) => new TraceCache('', '').keeps(path);

async function untilKept(app: AppPage): Promise<void> {
  const endMs = performance.now() + KEPT_WITHIN_MS;
  while (performance.now() < endMs) {
    if (isKept(app)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('what was read is not kept');
}

/** How a trace was opened, and at most how long that takes, ms; the peer's time is `c`. */
const ways = {
  'added to the library': () => ({}),
  opened: (c: number) => ({ first: 1500, complete: 2 * c }),
  'second opening': () => ({ complete: 1000 }),
} satisfies Record<string, (c: number) => Partial<Times>>;

function tellTimes(
  size: number | string,
  way: keyof typeof ways,
  times: readonly Times[],
  c: number,
): void {
  const goals: Partial<Times> = size === GOAL_EVENTS ? ways[way](c) : {};
  const said = { first: 'first figures', all: 'figures of all events', complete: 'complete' };
  for (const which of ['first', 'all', 'complete'] as const)
    tell({
      ...{ size, figure: `${way}, ${said[which]}`, unit: 'ms', peer: { name: SHELL, value: c } },
      value: median(times.map((each) => each[which])),
      ...(goals[which] !== undefined && { goal: goals[which] }),
    });
}

async function measure(size: number | string, path: string): Promise<void> {
  const app = await openAppPage({ args: ['--root', join(path, '..')] });
  const { page } = app;
  const added = await openOnce(page, path);
  const peer = [readByShell(path)];
  const read: Times[] = [];
  for (let run = 0; run < RUNS; run++) {
    await leave(page);
    forget(app);
    read.push(await openOnce(page, path));
    peer.push(readByShell(path));
  }
  const again: Times[] = [];
  if (isEverKept(path)) await untilKept(app);
  for (let run = 0; run < RUNS; run++) {
    await leave(page);
    again.push(await openOnce(page, path));
  }
  await app.close();
  const c = median(peer);
  tellTimes(size, 'added to the library', [added], c);
  tellTimes(size, 'opened', read, c);
  tellTimes(size, 'second opening', again, c);
}

// The library of the page lists it.
writeSimulatedTrace();
const published = join(sharedData, 'ingero/dataloader_starvation.db');
if (existsSync(published)) await measure('published file', published);
for (const events of sizes()) await measure(events, largeTrace(events));
