import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GpuJob, gpuTrace, MS } from '../../src-main/analysis/testing/gpu-job.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** A copy to GPU 0 whose stream waits for a kernel on GPU 1. */
describeWith(['chromium'], 'the work of two GPUs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-two-gpus-'));
  let timeline: TimelinePage;

  beforeAll(async () => {
    const file = join(folder, 'two.trace.db');
    const job = new GpuJob();
    job.launch(1 * MS, 0);
    job.launch(50 * MS, 16);
    job.waitStream(0, 16);
    job.copy({ mib: 64 });
    job.sync();
    expect(writeTraceFile(file, gpuTrace([job], { gpus: 2 }))).toMatchObject({ ok: true });
    timeline = await openTimeline(file);
    await timeline
      .row(/GPU busy/)
      .first()
      .waitFor();
  });
  afterAll(async () => {
    timeline?.app.expectNoComplaints();
    await timeline?.app.close();
    rmSync(folder, { recursive: true });
  });

  test('each GPU has its rows, and a call says which GPU held it with what', async () => {
    const names = (await timeline.rowNames()).map((name) => name.replaceAll('\n', ' '));
    expect(names.filter((name) => name.includes('GPU busy'))).toHaveLength(2);
    await timeline.page.keyboard.press('KeyN');
    const panel = () => timeline.panel.innerText();
    await openHowKnown(timeline.page);
    await expect
      .poll(panel)
      .toMatch(/GPU 0 was busy with work of other streams for 4\d\.\d+ ms \(1 × gemm on GPU 1\)/);
    await expect.poll(panel).toMatch(/What GPU 0 did meanwhile.*Other streams’ work/s);
    // The figures of the table are within the panel, whatever the names beside them.
    const figure = timeline.panel
      .locator('table', { hasText: 'Other streams’ work' })
      .locator('td.number')
      .last();
    const [cell, box] = [await figure.boundingBox(), await timeline.panel.boundingBox()];
    if (cell === null || box === null) throw new Error('not on screen');
    expect(cell.x + cell.width).toBeLessThanOrEqual(box.x + box.width);
  });
});
