import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { openAppPage } from '../support/page/app-page.ts';
import { sharedData } from '../support/requirements.ts';
import writeSimulatedTrace from '../support/simulated-trace.ts';

/**
 * From the user's Enter to figures on screen (first paint: the operations table) and to a complete
 * timeline (every lane on the screen drawn from tiles of its scale), in Chromium with software rendering. The peer is the `sqlite3`
 * shell's quick_check of the same file: every page read once, nothing drawn.
 */

const RUNS = 5;

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

async function measure(label: string, path: string): Promise<void> {
  const app = await openAppPage({ args: ['--root', join(path, '..')] });
  const { page } = app;
  const first: number[] = [];
  const complete: number[] = [];
  const peer: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    await page.getByLabel('Path on the machine').fill(path);
    await page.evaluate(WATCH);
    await page.keyboard.press('Enter');
    const times = (await page.evaluate('window.paints')) as { first: number; complete: number };
    first.push(times.first);
    complete.push(times.complete);
    await page.getByRole('button', { name: /Library/ }).click();
    peer.push(peerMs(path));
  }
  await app.close();
  const [a, b, c] = [first, complete, peer].map(median) as [number, number, number];
  console.log(
    `${label}: first paint ${a.toFixed(0)} ms, complete ${b.toFixed(0)} ms; sqlite3 quick_check ${c.toFixed(0)} ms; complete/peer ${(b / c).toFixed(2)}`,
  );
}

// The library of the page lists it.
writeSimulatedTrace();
const published = join(sharedData, 'ingero/dataloader_starvation.db');
if (existsSync(published)) await measure('published file', published);
await measure('200,000 events', largeTrace(200_000));
await measure('2,000,000 events', largeTrace(2_000_000));
await measure('10,000,000 events', largeTrace(10_000_000));
