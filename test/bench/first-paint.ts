import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { sharedData } from '../support/requirements.ts';
import writeSimulatedTrace from '../support/simulated-trace.ts';

/**
 * From the user's Enter to figures on screen (first paint: the operations table) and to a complete
 * timeline (every lane on the screen drawn from tiles of its scale), in Chromium with software rendering: of a file that is added,
 * of one in the library, and of one of which the cache holds what was read and answered. The peer is the `sqlite3`
 * shell's quick_check of the same file: every page read once, nothing drawn.
 */

const RUNS = 5;
/** The verdict and the operations of a large trace. */
const ANSWERS = 2;
const KEPT_WITHIN_MS = 60_000;

/**
 * Watches the page frame by frame from the key press on, inside the page: waiting from outside
 * would measure the waiting.
 */
const WATCH = `
  window.paints = new Promise((resolve) => {
    let start;
    let first;
    let restful = 0;
    addEventListener('keydown', () => { start = performance.now(); }, { once: true, capture: true });
    const look = () => {
      const cells = document.querySelectorAll('#panel-overview td');
      if (first === undefined && [...cells].some((cell) => cell.textContent.trim() === 'CUDA')) {
        first = performance.now() - start;
        document.querySelector('#tab-timeline').click();
      }
      // Tiles are asked for by the frame that lacks them.
      const isDrawn = document.querySelector('#panel-timeline [role=row]') !== null &&
        document.querySelector('#panel-timeline .tracks[aria-busy="false"]') !== null;
      restful = isDrawn ? restful + 1 : 0;
      if (first !== undefined && restful === 3) resolve({ first, complete: performance.now() - start });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  0`;

function peerMs(path: string): number {
  const start = performance.now();
  const sql = 'SELECT count(*) FROM sqlite_schema; PRAGMA quick_check(1);';
  const { status } = spawnSync('sqlite3', ['-readonly', `file:${path}?immutable=1`, sql]);
  if (status !== 0) throw new Error('the peer failed');
  return performance.now() - start;
}

interface Times {
  readonly first: number;
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

/** Whether what was read and answered of the only trace is kept for the next time. */
function isKept({ host }: AppPage): boolean {
  const folder = join(host.dataFolder, 'cache');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const answers = names.filter((name) => name.endsWith('.answer'));
  return names.some((name) => name.endsWith('.columns')) && answers.length >= ANSWERS;
}

async function untilKept(app: AppPage): Promise<boolean> {
  const endMs = performance.now() + KEPT_WITHIN_MS;
  while (performance.now() < endMs) {
    if (isKept(app)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function tell(what: string, times: readonly Times[], peer: number): void {
  const [first, complete] = [
    median(times.map((each) => each.first)),
    median(times.map((each) => each.complete)),
  ];
  console.log(
    `${what}: first paint ${first.toFixed(0)} ms, complete ${complete.toFixed(0)} ms; sqlite3 quick_check ${peer.toFixed(0)} ms; complete/peer ${(complete / peer).toFixed(2)}`,
  );
}

async function measure(label: string, path: string): Promise<void> {
  const app = await openAppPage({ args: ['--root', join(path, '..')] });
  const { page } = app;
  const added = await openOnce(page, path);
  const peer = [peerMs(path)];
  const read: Times[] = [];
  for (let run = 0; run < RUNS; run++) {
    await leave(page);
    read.push(await openOnce(page, path));
    peer.push(peerMs(path));
  }
  const again: Times[] = [];
  if (await untilKept(app))
    for (let run = 0; run < RUNS; run++) {
      await leave(page);
      again.push(await openOnce(page, path));
    }
  await app.close();
  const peerMedian = median(peer);
  tell(`${label}, added to the library`, [added], peerMedian);
  tell(`${label}, opened`, read, peerMedian);
  if (again.length > 0) tell(`${label}, opened again`, again, peerMedian);
}

// The library of the page lists it.
writeSimulatedTrace();
const published = join(sharedData, 'ingero/dataloader_starvation.db');
if (existsSync(published)) await measure('published file', published);
await measure('200,000 events', largeTrace(200_000));
await measure('2,000,000 events', largeTrace(2_000_000));
await measure('10,000,000 events', largeTrace(10_000_000));
