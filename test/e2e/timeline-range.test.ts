/// <reference lib="dom" />
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCount, formatDuration } from '../../src-main/shared/text/units.ts';
import {
  openTimeline,
  parseMoment,
  samplePath,
  type TimelinePage,
} from '../support/page/timeline-page.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

/** Name, count, sum, p50, p95, p99 and longest, as the bar writes them; the share between is its own. */
type StatisticsRow = readonly string[];

function statisticsRow(
  name: string,
  durations: readonly number[],
  parts: readonly number[],
): StatisticsRow {
  const sorted = durations.toSorted((a, b) => a - b);
  const rank = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  const sum = parts.reduce((total, ns) => total + ns, 0);
  const times = [sum, rank(50), rank(95), rank(99), rank(100)];
  return [name, formatCount(sorted.length), ...times.map(formatDuration)];
}

/** Statistics by name of the rows of the sample's `table` that are in [startNs, endNs), sums of their parts. */
function sampleStatistics(table: 'range' | 'cuda_call', startNs: number, endNs: number) {
  const database = new DatabaseSync(samplePath, { readOnly: true });
  const rows = database
    .prepare(
      `SELECT text, duration_ns AS ns,
         min(start_ns + duration_ns, $end) - max(start_ns, $start) AS part
       FROM ${table} JOIN name ON name.id = op_id
       WHERE start_ns < $end AND (start_ns + duration_ns > $start OR start_ns >= $start)`,
    )
    .all({ start: startNs, end: endNs });
  database.close();
  const byName = Map.groupBy(rows, ({ text }) => String(text));
  return [...byName]
    .map(([name, group]) =>
      statisticsRow(
        name,
        group.map(({ ns }) => Number(ns)),
        group.map(({ part }) => Number(part)),
      ),
    )
    .toSorted();
}

/** The bar's table once it has counted, sorted by name, without the share of the range. */
async function shownStatistics({ rangeBar }: TimelinePage): Promise<StatisticsRow[]> {
  await expect.poll(() => rangeBar.innerText()).not.toContain('counting');
  const lines = await rangeBar.locator('tbody tr').all();
  const cells = await Promise.all(lines.map((line) => line.locator('th, td').allInnerTexts()));
  return cells.map((row) => row.toSpliced(3, 1)).toSorted();
}

async function shownRange({ rangeBar }: TimelinePage): Promise<[startNs: number, endNs: number]> {
  const [from = '', to = ''] = (await rangeBar.locator('.muted').innerText()).split(' to ');
  return [parseMoment(from), parseMoment(to)];
}

describeWith(['chromium'], 'a range of the sample', () => {
  let timeline: TimelinePage;
  beforeAll(async () => {
    timeline = await openTimeline();
  });
  afterAll(() => timeline.app.close());

  test.each([
    [0.2, 0.6],
    [0.9, 0.4],
  ])('from %s to %s of the view: the CUDA calls in it, by name', async (from, to) => {
    await timeline.drag(/Training process/, from, to);
    const [startNs, endNs] = await shownRange(timeline);
    const expected = sampleStatistics('cuda_call', startNs, endNs);
    expect(expected.length).toBeGreaterThan(3);
    await expect.poll(() => shownStatistics(timeline)).toEqual(expected);
  });

  test('what it leaves out is covered, and what it holds keeps its colours', async () => {
    const { page } = timeline;
    await page.mouse.move(5, 5);
    const overlay = page.locator('.timeline .tracks .overlay canvas');
    /** How much of what lies at a share of the view is covered, 0 to 255. */
    const coveredAt = async (share: number) => {
      const at = await timeline.place(/Training process/, share);
      return overlay.evaluate((element, { x, y }) => {
        const canvas = element as HTMLCanvasElement;
        const { left, top } = canvas.getBoundingClientRect();
        const [column, row] = [(x - left) * devicePixelRatio, (y - top) * devicePixelRatio];
        const pixel = canvas.getContext('2d')?.getImageData(column, row, 1, 1).data;
        return pixel?.[3] ?? -1;
      }, at);
    };
    await expect.poll(() => coveredAt(0.2)).toBeGreaterThan(64);
    expect(await coveredAt(0.65)).toBe(0);
    expect(await coveredAt(0.95)).toBeGreaterThan(64);
  });

  test('with another track in focus, its events', async () => {
    await timeline
      .row(/Annotations/)
      .locator('.name')
      .click();
    const expected = sampleStatistics('range', ...(await shownRange(timeline)));
    await expect.poll(() => shownStatistics(timeline)).toEqual(expected);
    expect(await timeline.rangeBar.innerText()).toContain('in Annotations');
  });

  test('its buttons lead to its flame graph, a note on it and a report', async () => {
    const { page, rangeBar, panel } = timeline;
    await rangeBar.getByRole('button', { name: /^Report…/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('KeyN');
    // The panel takes its place, and the buttons move.
    await expect.poll(() => panel.innerText()).toMatch(/^cudaMemcpyAsync/);
    await rangeBar.getByRole('button', { name: 'Note on the range' }).click();
    const card = page.getByRole('region', { name: 'Note' });
    await card.getByText(/^on the range/).waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await page.keyboard.press('KeyN');
    await page.keyboard.press('KeyM');
    await card.getByText(/^on the event cudaMemcpyAsync/).waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await rangeBar.getByRole('button', { name: 'Flame of the range' }).click();
    await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  });

  test('a call selected while the timeline is away comes into view beside the range', async () => {
    const { page, panel } = timeline;
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.keyboard.press('KeyN');
    // The range goes first, the event next: then the range again.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    // With nothing to tell of, the tracks stand as before again.
    await expect
      .poll(async () => (await timeline.rowNames()).join('\n'))
      .not.toContain('What matters here');
    await timeline.drag(/Training process/, 0.2, 0.6);
    await timeline.wheel(/Training process/, 0.5, [0, 5_000]);
    // With no event selected the range itself is explained.
    await panel.getByRole('heading', { name: /^Where .* went$/ }).waitFor();
    await expect.poll(() => panel.innerText()).toMatch(/^Range on /);
    await panel.getByRole('button', { name: '← Back' }).click();
    await page.keyboard.press('Alt+Digit3');
    // With nothing to say the panel is hidden beside the other tabs, until somebody asks for it.
    await page.getByRole('button', { name: 'Why slow', exact: true }).click();
    await panel.getByRole('button', { name: /^Go to the slowest/ }).click();
    await expect.poll(() => timeline.announcement()).toContain('cudaMemcpyAsync');
    const room = async () => {
      const row = await timeline.row(/CUDA calls/).boundingBox();
      const chart = await page.locator('.timeline .tracks').boundingBox();
      if (row === null || chart === null) return -1;
      return Math.min(row.y - chart.y, chart.y + chart.height - row.y - row.height);
    };
    await expect.poll(room).toBeGreaterThanOrEqual(0);
    // Nothing that comes later takes it out of view again.
    await page.waitForTimeout(500);
    expect(await room()).toBeGreaterThanOrEqual(0);
  });

  test('a drag on the ruler selects one as well', async () => {
    const { page, rangeBar } = timeline;
    await timeline.page.keyboard.press('Digit0');
    const box = await page.getByRole('img', { name: /^In view/ }).boundingBox();
    if (box === null) throw new Error('no ruler');
    const { startNs, endNs } = await timeline.view();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, y);
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.up();
    await rangeBar.waitFor();
    const [from, to] = await shownRange(timeline);
    const length = endNs - startNs;
    expect((from - startNs) / length).toBeCloseTo(0.25, 2);
    expect((to - startNs) / length).toBeCloseTo(0.5, 2);
  });

  test('dragged over rows it is of those: by name, state, thread, process, and two at once', async () => {
    const { page, rangeBar } = timeline;
    await page.keyboard.press('Digit0');
    await timeline.dragAcross(/CUDA calls/, /State/, 0.2, 0.6);
    await expect.poll(() => rangeBar.innerText()).toMatch(/in [23] tracks/);
    const legend = await page.getByRole('region', { name: 'Legend' }).innerText();
    expect(legend).toMatch(/Running[\s\S]*Sleeping[\s\S]*DataLoader workers/);
    const by = (name: string) => rangeBar.getByRole('button', { name, exact: true });
    const firstColumn = async () => {
      await expect.poll(() => rangeBar.innerText()).not.toContain('counting');
      return rangeBar.locator('tbody th').allInnerTexts();
    };
    const range = await shownRange(timeline);
    const calls = sampleStatistics('cuda_call', ...range).map(([name]) => name);
    expect(await firstColumn()).toEqual(expect.arrayContaining(calls));
    await by('State').click();
    await expect.poll(firstColumn).toContain('Sleeping');
    await by('Thread').click();
    await expect
      .poll(firstColumn)
      .toEqual([expect.stringMatching(/^Training process · .* tid \d+$/)]);
    await by('Process').click();
    await expect
      .poll(firstColumn)
      .toEqual([expect.stringMatching(/^Training process · .* pid \d+$/)]);
    await by('Pivot').click();
    await rangeBar.getByRole('combobox', { name: 'Table' }).selectOption('Names × threads');
    await rangeBar.getByRole('combobox', { name: 'Cells' }).selectOption('Count');
    await expect.poll(firstColumn).toEqual(expect.arrayContaining(calls));
    const counts = await rangeBar.locator('tbody tr td:last-child').allInnerTexts();
    expect(counts[0]).toMatch(/^[\d,]+$/);
    // What another range is counted by stays as it was chosen.
    await timeline.drag(/CUDA calls/, 0.3, 0.5);
    await expect.poll(() => by('Pivot').getAttribute('aria-pressed')).toBe('true');
    await by('Name').click();
    await expect.poll(() => rangeBar.innerText()).toContain('in CUDA calls');
  });

  test('its buttons zoom to it and clear it', async () => {
    const { rangeBar } = timeline;
    const [startNs, endNs] = await shownRange(timeline);
    await rangeBar.getByRole('button', { name: 'Zoom to range' }).click();
    await timeline.expectView({ startNs, endNs });
    await rangeBar.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => rangeBar.count()).toBe(0);
    timeline.app.expectNoComplaints();
  });
});

interface Operation {
  readonly source: string;
  readonly name: string;
  readonly count: number;
  readonly totalNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
}

describeWith(['chromium', 'sharedData'], 'a range of the published file', () => {
  let timeline: TimelinePage;
  let folder: string;
  let published: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-range-'));
    published = join(folder, 'dataloader_starvation.db');
    copyFileSync(join(sharedData, 'ingero/dataloader_starvation.db'), published);
    timeline = await openTimeline(published);
  });
  afterAll(async () => {
    await timeline.app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('around every CUDA call: the figures of "stalltrace info"', async () => {
    const { operations } = JSON.parse(runCli(['info', '--json', published], folder).stdout) as {
      operations: readonly Operation[];
    };
    const expected = operations
      .filter(({ source }) => source === 'CUDA' || source === 'DRIVER')
      .map(({ name, count, totalNs, p50Ns, p95Ns, p99Ns, maxNs }) => [
        name,
        formatCount(count),
        ...[totalNs, p50Ns, p95Ns, p99Ns, maxNs].map(formatDuration),
      ])
      .toSorted();
    expect(expected.length).toBeGreaterThan(5);
    // Past the right edge is the end of the trace.
    await timeline.drag(/Training process/, 0.02, 1.2);
    // Beside the stored ones stands what the recorder counted, as far as its minutes lie in the range.
    const stored = (text = '') => text.replace(/^≥ | of .*$/g, '');
    const shownStored = async () =>
      (await shownStatistics(timeline)).map(([name, count, ...times]) => [
        name,
        stored(count),
        ...times,
      ]);
    await expect.poll(shownStored).toEqual(expected);
    const counts = (await shownStatistics(timeline)).map(([, count = '']) => count);
    expect(counts.some((count) => /^≥ | of /.test(count))).toBe(true);
    // Of a selection no share of the time is told.
    const shares = await timeline.rangeBar.locator('tbody td:nth-child(4)').allInnerTexts();
    expect(new Set(shares)).toEqual(new Set(['–']));
    expect((await shownRange(timeline))[1]).toBe((await timeline.view()).endNs);
  });

  test('a worker is named before what of it is shown', async () => {
    const names = (await timeline.rowNames()).map((name) => name.replaceAll(/\s+/g, ' ').trim());
    expect(names).toContainEqual(expect.stringMatching(/^worker 0 · pid 2254 Page allocations/));
    expect(names).toContainEqual(expect.stringMatching(/^worker 3 · pid 2257 Page allocations/));
    await timeline.filter.fill('sched_switch pid:2255');
    await expect
      .poll(async () => (await timeline.rowNames()).map((name) => name.replaceAll(/\s+/g, ' ')))
      .toEqual([
        expect.stringContaining('DataLoader workers'),
        expect.stringContaining('worker 1 · pid 2255 Context switches'),
      ]);
    timeline.app.expectNoComplaints();
  });
});
