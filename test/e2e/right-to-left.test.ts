/// <reference lib="dom" />
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTrace } from '../../src-main/analysis/testing/build-trace.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { describeWith } from '../support/requirements.ts';

const MODEL = 'כרטיס מסך';

/** How far from the left a piece of an element's text stands on the screen. */
function leftOf(element: Element, text: string): number {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.textContent?.indexOf(text) ?? -1;
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    return range.getBoundingClientRect().left;
  }
  return Number.NaN;
}

describeWith(['chromium'], 'a name that is read from the right', () => {
  let app: AppPage;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-right-to-left-'));
    const file = join(folder, 'trace.db');
    const written = writeTraceFile(
      file,
      buildTrace({
        names: [['CUDA', 'cudaMemcpyAsync']],
        processes: [{ pid: 7, name: MODEL }],
        threads: [{ tid: 7, name: MODEL }],
        rows: { cuda_call: [{ startNs: 1, durationNs: 9, op: 0, thread: 0 }] },
        machine: { gpus: [{ model: MODEL, memoryBytes: 24 * 2 ** 30 }] },
      }),
    );
    if (!written.ok) throw new Error(written.error.message);
    app = await openAppPage({ args: ['--root', folder] });
    await app.page.getByLabel('Path on the machine').fill(file);
    await app.page.keyboard.press('Enter');
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('leaves the figure beside it as it is written', async () => {
    await app.page.getByRole('tab', { name: 'Recording' }).click();
    const fact = app.page.getByRole('region', { name: 'The trace' }).getByTitle(MODEL);
    expect(await fact.textContent()).toBe(`${MODEL}, 24.00 GiB`);
    const left = (text: string) => fact.evaluate(leftOf, text);
    const [name, figure, unit] = [await left(MODEL), await left('24.00'), await left('GiB')];
    expect(name).toBeLessThan(figure);
    expect(figure).toBeLessThan(unit);
    app.expectNoComplaints();
  });
});
