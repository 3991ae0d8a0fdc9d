import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';
import { seenFromInside } from '../simulation/seen-from-inside.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** What a user sees of the GPU's own record. */
describeWith(['chromium'], 'GPU work on the timeline', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-gpu-work-'));
  let timeline: TimelinePage;

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await timeline.page.keyboard.press(key);
  };
  const panel = () => timeline.panel.innerText();

  beforeAll(async () => {
    const file = join(folder, 'inside.trace.db');
    const seen = seenFromInside(simulateDataloaderStarvation(), { gpuRecords: true });
    expect(writeTraceFile(file, seen)).toMatchObject({ ok: true });
    timeline = await openTimeline(file);
  });
  beforeEach(() => press('Escape', 'Escape', 'Digit0'));
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(async () => {
    await timeline?.app.close();
    rmSync(folder, { recursive: true });
  });

  test('a row for each stream, below when the GPU was busy and when it was idle', async () => {
    const names = (await timeline.rowNames()).map((name) => name.replaceAll('\n', ' '));
    const busy = names.findIndex((name) => name.startsWith('GPU busy'));
    expect(names.slice(busy, busy + 3)).toEqual([
      expect.stringContaining('GPU busy'),
      expect.stringMatching(/Kernels stream 7/),
      expect.stringMatching(/Copies and fills stream 7/),
    ]);
    const drawn = new Set(await timeline.pixels(/GPU busy/));
    expect(drawn.size).toBeGreaterThan(1);
    expect(await seriousFindings(timeline.page)).toEqual([]);
  });

  test('J goes from a copy to what the GPU did for it, and back to the call', async () => {
    await press('KeyN');
    await expect.poll(panel).toMatch(/^cudaMemcpyAsync/);
    await press('KeyJ');
    await expect.poll(timeline.announcement).toMatch(/^GPU work 1 of 1: Copy H2D,.*Queue delay/);
    await expect.poll(panel).toMatch(/Copy H2D.*Memory it read\s+pageable.*Rate\s+[\d.]+ .B\/s/s);
    await expect.poll(panel).toMatch(/Asked for by.*cudaMemcpyAsync.*Call stack/s);
    await timeline.page.getByRole('button', { name: 'Go to the call' }).click();
    await expect
      .poll(timeline.announcement)
      .toMatch(/^The call that asked for it: cudaMemcpyAsync/);
    await openHowKnown(timeline.page);
    await timeline.page.getByRole('button', { name: 'Go to it' }).click();
    await expect.poll(timeline.announcement).toMatch(/Copy H2D/);
  });

  test('the work of the selected call is outlined, and a line leads to it', async () => {
    const isMarked = async (name: RegExp) => {
      const { y } = await timeline.place(name, 0);
      return timeline.page.locator('.timeline .overlay canvas').evaluate((element, pageY) => {
        const canvas = element as HTMLCanvasElement;
        const top = Math.round((pageY - canvas.getBoundingClientRect().top) * devicePixelRatio);
        const row = canvas.getContext('2d')?.getImageData(0, top, canvas.width, 1);
        return row?.data.some((byte) => byte > 0) ?? false;
      }, y);
    };
    await timeline.page.mouse.move(5, 5);
    await press('KeyN');
    await expect.poll(() => isMarked(/Copies and fills/)).toBe(true);
    // What the GPU did stands right below the call.
    const rows = (await timeline.rowNames()).map((name) => name.replace(/\s+/g, ' '));
    const copies = rows.findIndex((name) => name.includes('Copies and fills'));
    expect(rows[copies - 1]).toContain('CUDA calls');
    await press('KeyV');
    await expect.poll(() => isMarked(/Copies and fills/)).toBe(true);
    // The line begins at the call, and ends below the kernels.
    await expect.poll(() => isMarked(/Training process/)).toBe(true);
    await expect.poll(() => isMarked(/Kernels/)).toBe(false);
    await press('Escape');
    await expect.poll(() => isMarked(/Copies and fills/)).toBe(false);
  });

  test('what asked for nothing on the GPU says so', async () => {
    await press('KeyJ');
    await timeline.page.getByText('Select a CUDA call or a piece of GPU work first.').waitFor();
  });

  test('weighs the flame graph by GPU time: what the GPU ran is below the code that asked for it', async () => {
    const { page } = timeline;
    const details = page.getByRole('region', { name: 'Selected frame' });
    await page.getByRole('tab', { name: 'Flame' }).click();
    await page.getByLabel('Weight').selectOption('GPU time asked for');
    await expect.poll(() => page.locator('.scope').innerText()).toMatch(/[\d.]+ s on the GPU/);
    await page.getByLabel('Colours of the graph').getByText('On the GPU').waitFor();
    await page.getByLabel('Search frames').fill('copy h2d');
    await press('Enter');
    await expect.poll(() => details.innerText()).toMatch(/^Copy H2D\s+Kind\s+On the GPU/);
    await page.getByRole('button', { name: 'Callers and callees' }).click();
    await page.getByRole('heading', { name: 'Callers of Copy H2D' }).waitFor();
    await page.getByRole('button', { name: 'Left heavy', exact: true }).click();
    await page.getByLabel('Search frames').fill('');
    await page.getByRole('tab', { name: 'Timeline' }).click();
  });
});
