/// <reference lib="dom" />
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultLimits } from '../../src-main/app/traces/open-limits.ts';
import { UNREADABLE } from '../fixtures/hostile/names.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { dropPath } from '../support/page/drop-path.ts';
import { activeParts } from '../support/page/github-markdown.ts';
import { traceProcesses } from '../support/page/trace-processes.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** The same job without workers and with four. */
const RUNS = {
  'nw0.json.gz': 'kineto_resnet50_nw0_1623143089861.pt.trace.json.gz',
  'nw4.json.gz': 'kineto_resnet50_nw4_1623212756351.pt.trace.json.gz',
} as const;
/** Names that a file system takes, and no page or terminal should. */
const HOSTILE = [
  '<img src=x onerror=globalThis.pwned=1>.json',
  'first\nsecond\r\nthird.json',
  '\u202egpj.exe\u200f.json',
  `${'x'.repeat(195)}.json`,
  '%2e%2e%2f..%2fetc%2fpasswd.json',
  '-rf --no-preserve-root.json',
  '[a](javascript:alert(1)) | **b** `c`.json',
];
/** Each of many has processes to start, beside others on a busy machine. */
const LONG = { timeout: 240_000 };
/** With those, the two runs, three that are damaged and an empty one: 30 files. */
const PLAIN = 17;

describeWith(
  ['chromium', 'sharedData'],
  'a folder of many runs, some damaged, some with hostile names',
  () => {
    let app: AppPage;
    let folder: string;
    const many = () => join(folder, 'many');
    const dialog = () => app.page.getByRole('dialog');
    const processes: number[] = [];
    let watching: NodeJS.Timeout;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'stalltrace-many-'));
      mkdirSync(many());
      for (const [name, from] of Object.entries(RUNS))
        copyFileSync(join(sharedData, 'kineto', from), join(many(), name));
      const plain = Array.from({ length: PLAIN }, (_, at) => `run${at}.json`);
      // Of the same bytes they would be one entry.
      for (const [at, name] of [...HOSTILE, ...plain].entries())
        writeFileSync(join(many(), name), traceOf(at));
      const packed = readFileSync(join(many(), 'nw0.json.gz'));
      writeFileSync(join(many(), 'bytes.json.gz'), Buffer.from(packed).fill(7, 2_000, 3_000));
      writeFileSync(join(many(), 'begun.json'), '{"traceEvents":[{"ph":');
      writeFileSync(
        join(many(), '<b>cut.db'),
        readFileSync(join(sharedData, 'ingero/empty_cache.db')).subarray(0, 9_999),
      );
      writeFileSync(join(many(), 'empty.json'), '');
      writeFileSync(join(folder, 'later.json'), traceOf(-1));
      app = await openAppPage({ args: ['--root', folder] });
      await app.page.evaluate(
        'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
      );
      await app.page.getByRole('row', { name: /Sample/ }).waitFor();
      watching = setInterval(() => processes.push(traceProcesses(app.host.process.pid)), 200);
    });
    afterAll(async () => {
      clearInterval(watching);
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** No name ran, made an element, or stands as what nobody can read. */
    async function expectPlain(): Promise<void> {
      const { ran, made, texts } = await app.page.evaluate(() => ({
        ran: Reflect.get(globalThis, 'pwned'),
        made: document.querySelectorAll('body :is(img[src="x"], b, [onerror])').length,
        texts: [document.title, ...document.body.innerText.split(/[\n\t]/)],
      }));
      expect([ran, made]).toEqual([undefined, 0]);
      expect(texts.filter((line) => UNREADABLE.test(line))).toEqual([]);
      app.expectNoComplaints();
    }

    test('is added; of each that is damaged one sentence says why, and the others are there', async () => {
      await dropPath(app.page, many());
      await app.page
        .getByText(/^26 files added to the library; left out as no trace: empty\.json\.$/)
        .first()
        .waitFor(LONG);
      await app.page.getByText('3 files could not be added:').waitFor();
      for (const name of ['bytes.json.gz', 'begun.json', '<b>cut.db'])
        await app.page.getByText(`${name}:`).waitFor();
      await app.page.getByText('27 investigations').waitFor();
      await expectPlain();
    });

    test('is compared as chart and table over what varied, few of them open at a time', async () => {
      const { page } = app;
      await page.getByLabel('Path on the machine').fill(join(folder, 'later.json'));
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Overview' }).waitFor();
      await page
        .getByRole('button', { name: /Library/ })
        .first()
        .click();
      await page.getByText('28 investigations').waitFor();
      truncateSync(join(folder, 'later.json'), 100);
      await page.getByRole('row', { name: /^nw0/ }).click({ position: { x: 600, y: 10 } });
      await page.keyboard.press('ControlOrMeta+KeyA');
      await page.keyboard.press('c');
      const table = dialog().getByRole('table', { name: 'Beside the first' });
      await table.waitFor(LONG);
      expect(await table.getByRole('row').count()).toBe(28);
      await table.getByRole('columnheader', { name: 'DataLoader workers' }).waitFor();
      expect(await table.getByRole('row', { name: /^nw4/ }).innerText()).toMatch(
        /1 or more[\s\S]*faster: 0\.752 \(/,
      );
      expect(await dialog().getByRole('figure').getByRole('img').count()).toBe(27);
      // What was damaged since it was added does not stop the others.
      await dialog().getByRole('heading', { name: 'Left out' }).waitFor();
      await dialog().getByRole('listitem').filter({ hasText: 'later.json' }).waitFor();
      const isWithin = await dialog().evaluate((element) =>
        [element, ...element.querySelectorAll('.body, .headline, .table-box')].every(
          ({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1,
        ),
      );
      expect(isWithin).toBe(true);
      await expectPlain();
      const { unwatched, opening } = defaultLimits();
      expect(Math.max(...processes)).toBeLessThanOrEqual(unwatched + opening);
    });

    test('is copied as Markdown in which no name acts', async () => {
      await dialog().getByRole('button', { name: 'Copy as Markdown' }).click();
      await dialog().getByText('Copied.').waitFor();
      const copied = String(await app.page.evaluate('window.copied'));
      expect(copied).toMatch(/^## 27 runs compared\n/);
      expect(copied).toMatch(/\n- Left out: .*later\.json/);
      expect(activeParts(copied)).toEqual([]);
      expect(copied.split('\n').filter((line) => UNREADABLE.test(line))).toEqual([]);
      await app.page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    });

    test('has each found by its name and opened, its title and its report plain', async () => {
      const { page } = app;
      for (const part of ['onerror', 'second', 'gpj', 'xxxx', 'passwd', 'preserve', 'javascript']) {
        await page.getByRole('searchbox').first().fill(part);
        // Beside the head.
        await expect.poll(() => page.getByRole('row').count()).toBe(2);
        await expectPlain();
      }
      await page
        .getByRole('row', { name: /javascript/ })
        .getByRole('button')
        .first()
        .click();
      await page.getByRole('tab', { name: 'Overview' }).waitFor();
      await expectPlain();
      await page.getByRole('button', { name: 'Share' }).click();
      await page
        .getByRole('menuitem', { name: /report/i })
        .first()
        .click();
      await dialog().getByRole('heading').nth(1).waitFor();
      await expectPlain();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    });

    test('is written of in a note, and shared as a file that has a plain name', async () => {
      const { page } = app;
      await page.getByRole('tab', { name: 'Notes' }).click();
      await page.getByRole('button', { name: 'Write a note' }).click();
      await page.getByPlaceholder('What did you see here?').fill(HOSTILE.join('\n\n'));
      await page.keyboard.press('ControlOrMeta+Enter');
      const note = page.getByRole('article').first();
      await note.getByText('onerror').waitFor();
      expect(await note.locator('a[href], img').count()).toBe(0);
      await expectPlain();
      await page.getByRole('button', { name: 'Share' }).click();
      const waiting = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: /\.stalltrace/ }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toMatch(/^[\p{L}\p{N}. _()-]+\.stalltrace$/u);
      expect(await download.failure()).toBeNull();
      await expectPlain();
    });
  },
);

/** A small profile of PyTorch; of other bytes for each number, else they would be one entry. */
function traceOf(nth: number): string {
  const event = { ph: 'X', pid: 1, tid: 1, cat: 'cuda_runtime', name: 'cudaLaunchKernel' };
  const traceEvents = [10, 20, 30].map((ts) => ({ ...event, ts: ts + nth, dur: 5 }));
  return JSON.stringify({ schemaVersion: 1, deviceProperties: [], traceEvents });
}
