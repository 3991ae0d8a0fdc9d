/// <reference lib="dom" />
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { formatCount } from '../../src-main/shared/text/units.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import {
  nextFrame,
  openTimeline,
  parseMoment,
  type TimelinePage,
} from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

const THREADS = 5_000;
const EVENTS = 100_000;
/** Those in view, and a screen on either side. */
const MOST_LABELS = 150;
const STEPS = 15;
/** What grows with the square of the rows took 2 s a step, a hundred times as long as in a trace with a dozen threads. */
const MOST_TIMES_AS_LONG = 20;
const SHORTEST_MS = 200;

/** The main process's threads, in SQL. */
const OWN = `thread_id IN (SELECT thread.id FROM thread
  JOIN process ON process.id = process_id WHERE pid = 1000)`;

/** By the file: the calls in a range, and the tracks of which the main process's threads show a range's events or states. */
function stored(path: string, startNs: number, endNs: number) {
  const database = new DatabaseSync(path, { readOnly: true });
  const count = (sql: string) => Number(database.prepare(sql).get()?.n);
  const threads = ['cuda_call', 'off_cpu', 'page_fault'].map((table) =>
    count(`SELECT count(DISTINCT thread_id) AS n FROM ${table} WHERE ${OWN}`),
  );
  const calls = count(`SELECT count(*) AS n FROM cuda_call WHERE ${OWN}
    AND start_ns < ${endNs} AND (start_ns + duration_ns > ${startNs} OR start_ns >= ${startNs})`);
  database.close();
  return { calls, tracks: threads.reduce((sum, each) => sum + each, 0) };
}

const beginSteps = ({ row }: TimelinePage) =>
  row(/CUDA calls/)
    .locator('.name')
    .click();

/** How long a step to the next track takes until it is drawn, ms. */
async function stepMs({ page }: TimelinePage): Promise<number> {
  const begun = performance.now();
  await page.keyboard.press('ArrowDown');
  await nextFrame(page);
  return performance.now() - begun;
}

describeWith(['chromium'], `a trace with ${THREADS} threads`, () => {
  let timeline: TimelinePage;
  let path = '';

  beforeAll(async () => {
    path = largeTrace(EVENTS, THREADS);
    timeline = await openTimeline(path);
    // Threads beside the main one are folded under its states.
    await timeline
      .row(/^\s*State/)
      .first()
      .getByRole('button', { name: 'Expand' })
      .click();
  });
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  const labels = () => timeline.page.locator('.timeline [data-row]').count();
  const rowCount = async () =>
    Number(await timeline.page.locator('.timeline [role=treegrid]').getAttribute('aria-rowcount'));
  const scrollTo = (share: number) =>
    timeline.page.locator('.timeline .scroller').evaluate((scroller, part) => {
      scroller.scrollTop = part * scroller.scrollHeight;
    }, share);

  test('has a row for each, and in the document those that can be seen', async () => {
    expect(await rowCount()).toBeGreaterThan(THREADS);
    expect(await labels()).toBeLessThan(MOST_LABELS);
    await scrollTo(0.5);
    await timeline.row(/tid [3-4]\d{3}/).waitFor();
    expect(await labels()).toBeLessThan(MOST_LABELS);
    await scrollTo(1);
    await timeline.row(/CPU 7/).waitFor();
    expect(await labels()).toBeLessThan(MOST_LABELS);
    await scrollTo(0);
  });

  test('a step to the next track takes about as long as among few', async () => {
    const few = await openTimeline(largeTrace(EVENTS));
    const [usual, own]: [number[], number[]] = [[], []];
    try {
      await beginSteps(few);
      await beginSteps(timeline);
      // In turn: whatever else the machine does, both have the same of it.
      for (let step = 0; step < STEPS; step++) {
        usual.push(await stepMs(few));
        own.push(await stepMs(timeline));
      }
    } finally {
      await few.app.close();
    }
    const most = Math.max(SHORTEST_MS, median(usual) * MOST_TIMES_AS_LONG);
    expect(median(own)).toBeLessThan(most);
  });

  test('a thread is found by its number, and an event of it selected', async () => {
    const { page, filter, row } = timeline;
    await filter.fill('state tid 5321');
    await expect.poll(rowCount).toBe(2);
    await row(/State.*tid 5321/s)
      .locator('.name')
      .click();
    await page.keyboard.press('ArrowLeft');
    expect(await timeline.nextAnnouncement()).toContain('tid 5321');
    await filter.fill('');
    await expect.poll(rowCount).toBeGreaterThan(THREADS);
    await row(/State.*tid 5321/s).waitFor();
  });

  test('a range over all of them counts the events that the file has', async () => {
    const { page, rangeBar, row } = timeline;
    await scrollTo(0);
    await row(/Training process/)
      .getByRole('button', { name: 'Collapse' })
      .click();
    await expect.poll(rowCount).toBeLessThan(MOST_LABELS);
    await page.keyboard.press('Digit0');
    await timeline.drag(/Training process/, 0.1, 0.9);
    const [from = '', to = ''] = (await rangeBar.locator('.muted').innerText()).split(' to ');
    const { calls, tracks } = stored(path, parseMoment(from), parseMoment(to));
    expect(calls).toBeGreaterThan(1_000);
    await expect
      .poll(() => rangeBar.locator('[aria-live]').innerText())
      .toBe(`${formatCount(calls)} events in ${formatCount(tracks)} tracks`);
  });
});
