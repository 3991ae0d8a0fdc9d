import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openAppPage } from '../support/app-page.ts';
import { largeTrace } from '../support/large-trace.ts';
import { sharedData } from '../support/requirements.ts';

/**
 * From the user's Enter to figures on screen (first paint: the operations table) and to a complete
 * timeline (no table still loading), in Chromium with software rendering. The peer is the `sqlite3`
 * shell counting the file's rows: the least anything must do to say something about it.
 */

const RUNS = 5;

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

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
    const start = performance.now();
    await page.keyboard.press('Enter');
    await page
      .getByRole('row', { name: /^CUDA / })
      .first()
      .waitFor();
    first.push(performance.now() - start);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page
      .getByRole('row', { name: /CUDA calls/ })
      .first()
      .waitFor();
    await page.getByText('Loading events…').waitFor({ state: 'detached' });
    complete.push(performance.now() - start);
    await page.getByRole('button', { name: /Library/ }).click();
    peer.push(peerMs(path));
  }
  await app.close();
  const [a, b, c] = [first, complete, peer].map(median) as [number, number, number];
  console.log(
    `${label}: first paint ${a.toFixed(0)} ms, complete ${b.toFixed(0)} ms; sqlite3 quick_check ${c.toFixed(0)} ms; complete/peer ${(b / c).toFixed(2)}`,
  );
}

const published = join(sharedData, 'ingero/dataloader_starvation.db');
if (existsSync(published)) await measure('published file', published);
await measure('200,000 events', largeTrace(200_000));
await measure('2,000,000 events', largeTrace(2_000_000));
