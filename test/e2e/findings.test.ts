/// <reference lib="dom" />
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

const sample = 'resources/sample/dataloader-starvation.trace.db';

/** An entry of the Layout Instability API, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly { readonly node?: Node }[];
}
declare global {
  interface Window {
    /** How far each time what an opened trace shows moved by itself: 1 = all of the window by its height. */
    moves: number[];
  }
}

function watchMoves(page: Page): Promise<void> {
  return page.evaluate(() => {
    window.moves = [];
    const isOfTrace = ({ node }: { readonly node?: Node }) =>
      node instanceof Element && node.closest('.investigation') !== null;
    const observer = new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as LayoutShift[])
        if (shift.sources.some(isOfTrace)) window.moves.push(shift.value);
    });
    observer.observe({ type: 'layout-shift' });
  });
}

/** What the Overview says of the captured sample as a whole: 4 workers on 2 CPUs. */
describeWith(['chromium'], 'the findings of a trace', () => {
  let app: AppPage;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-findings-'));
    copyFileSync(join(root, sample), join(folder, 'run.db'));
    app = await openAppPage({ args: ['--root', folder], width: 1280, height: 800 });
    await watchMoves(app.page);
    await app.page.getByLabel('Path on the machine').fill(join(folder, 'run.db'));
    await app.page.keyboard.press('Enter');
    await verdict().waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const verdict = () => app.page.getByRole('region', { name: 'Verdict' });
  const costs = () => app.page.getByRole('region', { name: /^What .* went to$/ });
  const card = (id: string) => app.page.locator(`details[data-finding="${id}"]`);

  test('lead the Overview with the answer, its main cause and fix, and the steps', async () => {
    await expect.poll(() => verdict().innerText()).toMatch(/^42\s% of each step waits for data/);
    const text = await verdict().innerText();
    expect(text).toContain('INPUT-BOUND');
    expect(text).toContain('More DataLoader workers than CPUs');
    // No share stands alone: it says what it is of.
    expect(text).toMatch(
      /More DataLoader workers than CPUs\s+Costs [\d.]+\s% of the step time: [\d.]+ ms of [\d.]+ s\s/,
    );
    expect(text).toMatch(/Set num_workers=2.*Saves at most [\d.]+ ms[:,] /s);
    // All of it on the first screen, and the picture of the costliest time with it.
    const steps = app.page.getByRole('region', { name: 'Steps', exact: true });
    const rows = steps.getByRole('list', { name: 'Rows of the picture' });
    await rows
      .getByText(/^CPU [01]$/)
      .first()
      .waitFor();
    // No bar is too narrow to be seen and hit.
    const bars = await steps.getByRole('button', { name: /^Step \d+, / }).all();
    const boxes = await Promise.all(bars.map((bar) => bar.boundingBox()));
    expect(bars.length).toBeGreaterThan(10);
    for (const bar of boxes) expect(bar?.width).toBeGreaterThanOrEqual(4);
    const box = await steps.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? Infinity)).toBeLessThan(800);
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await expect.poll(() => panel.innerText()).toMatch(/Where .* went.*Set num_workers=2/s);
    // What wrote the trace is not to blame: it is no part of the answer.
    expect(await panel.innerText()).not.toMatch(/stalltrace-agent|the recorder itself/);
    expect(await seriousFindings(app.page)).toEqual([]);
  });

  test('keep the badge behind the last word of an answer, and a name whole as far as it has words', async () => {
    /** The last word of an answer of so many others, the badge, and how high the answer is. */
    const placed = (words: number) =>
      verdict().evaluate((section, count) => {
        const words = section.querySelector('h2')?.firstChild as Text;
        const own = words.data;
        words.data = 'waits '.repeat(count);
        const range = document.createRange();
        range.selectNodeContents(section.querySelector('h2 .last')?.firstChild as Text);
        const last = range.getBoundingClientRect().toJSON() as DOMRect;
        const badge = section.querySelector('.badge')?.getBoundingClientRect().toJSON() as DOMRect;
        const height = section.querySelector('h2')?.clientHeight;
        words.data = own;
        return { last, badge, height };
      }, words);
    const heights = new Set<number | undefined>();
    for (let words = 1; words <= 24; words++) {
      const { last, badge, height } = await placed(words);
      heights.add(height);
      expect(badge.left - last.right, `${words}`).toBeGreaterThan(0);
      expect(badge.left - last.right, `${words}`).toBeLessThan(20);
      expect(badge.top).toBeGreaterThanOrEqual(last.top);
      expect(badge.bottom).toBeLessThanOrEqual(last.bottom);
    }
    expect(heights.size).toBeGreaterThan(1);
    const brokenWords = await app.page
      .getByRole('region', { name: 'Key figures' })
      .locator('.name')
      .evaluateAll((names) => {
        for (const name of names)
          for (const node of name.childNodes)
            if (node.nodeType === 3) node.nodeValue = 'Synchronize';
        const words = names.flatMap((name) => [...name.childNodes]);
        return words.filter((word) => {
          const range = document.createRange();
          range.selectNode(word);
          return range.getClientRects().length > 1;
        }).length;
      });
    expect(brokenWords).toBe(0);
  });

  test('explain the colours that are in the picture, on its screen, and no others', async () => {
    const { page } = app;
    const steps = page.getByRole('region', { name: 'Steps', exact: true });
    const told = (list: string) =>
      steps.getByRole('list', { name: list }).getByRole('listitem').allInnerTexts();
    await expect
      .poll(async () => (await told('State:')).map((name) => name.trim()))
      .toEqual(['Running', 'Waiting for a CPU', 'Sleeping']);
    expect(await told('Who had the CPU:')).toEqual(
      expect.arrayContaining(['Training process', 'DataLoader workers']),
    );
    const last = steps.getByRole('list', { name: 'Who had the CPU:' }).locator('li').last();
    const box = await last.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(800);
    expect(await steps.locator('.minimap').getAttribute('title')).toMatch(
      /its steps, in the colour/,
    );
  });

  test('show on the card the lines that matter, and only what bears on the cause', async () => {
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    const fix = panel.getByRole('region', { name: 'What to change' });
    await expect
      .poll(() => fix.locator('pre').innerText())
      .toBe('loader = DataLoader(…, num_workers=2, …)');
    const box = fix.locator('.table-box');
    expect(await box.evaluate((all) => all.scrollHeight <= all.clientHeight)).toBe(true);
    const text = await panel.innerText();
    // Where the answer names it, the card does not say it again; no copy and no page fault shows it.
    expect(text).not.toContain('More DataLoader workers than CPUs');
    expect(text).not.toMatch(/slowest copy|Page faults|Largest copy/);
    await panel.getByRole('button', { name: 'Go to this time' }).waitFor();
  });

  test('moved next to nothing on the page when they came', async () => {
    await app.page.getByRole('list', { name: 'Rows of the picture' }).waitFor();
    const moves = await app.page.evaluate(() => window.moves);
    expect(moves.reduce((sum, move) => sum + move, 0)).toBeLessThan(0.05);
  });

  test('have a step explained in place, and lead back to the costliest time', async () => {
    const steps = app.page.getByRole('region', { name: 'Steps', exact: true });
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await steps.getByRole('button', { name: /^Step 1, / }).click();
    await expect.poll(() => panel.innerText()).toMatch(/^Step 1\n/);
    // Its fix, where it has one, is told as one of the whole run.
    await expect
      .poll(() => panel.innerText())
      .toMatch(/ in the whole recording|No finding is known to have/);
    // What it waited for names tracks of its own.
    await panel.locator('article[aria-busy="false"]').waitFor();
    // What wrote the trace ran, too, and that is said: no more.
    const told = await panel.innerText();
    expect(told).not.toMatch(/stalltrace-agent|the recorder itself/);
    expect(told).toMatch(/The recorder had a CPU for [\d.]+\s% of this time/);
    // All other tracks fold out beneath those that tell of it.
    const rows = steps.getByRole('list', { name: 'Rows of the picture' }).getByRole('listitem');
    const few = await rows.count();
    const all = steps.getByRole('button', { name: /^All tracks \(\d+\)$/ });
    await all.click();
    await expect.poll(() => rows.count()).toBeGreaterThan(few + 10);
    await all.click();
    await expect.poll(() => rows.count()).toBe(few);
    await steps.getByRole('button', { name: 'Back to the costliest' }).click();
    await expect.poll(() => panel.innerText()).toMatch(/^The costliest of \d+ times/);
  });

  test('are told beside the timeline, too, while nothing is selected there', async () => {
    const { page } = app;
    const panel = page.getByRole('complementary', { name: 'Why slow' });
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await expect.poll(() => panel.innerText()).toMatch(/Set num_workers=2.*Pick a CUDA call/s);
    await panel.getByRole('button', { name: 'Show this time' }).click();
    await page.getByRole('region', { name: 'Selected range' }).waitFor();
    await panel.getByRole('button', { name: '← Back' }).click();
    await page.getByRole('region', { name: 'Selected range' }).getByText('Clear').click();
    await page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('are summed up in a bar that is the whole window', async () => {
    const shares = await costs()
      .locator('.part')
      .evaluateAll((parts) => parts.map((part) => Number((part as HTMLElement).style.flexGrow)));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
  });

  test('say what to change, with this trace’s numbers', async () => {
    const costliest = card('workers-to-cores');
    expect(await costliest.getAttribute('open')).not.toBeNull();
    const text = await costliest.innerText();
    expect(text).toContain('4 DataLoader workers and the training process shared 2 CPUs');
    expect(text).toContain('num_workers=2');
  });

  test('are reached from the bar, by keyboard too', async () => {
    const last = costs().getByRole('button').last();
    const title = await last.innerText();
    await last.focus();
    await app.page.keyboard.press('Enter');
    const focused = () => app.page.evaluate(() => document.activeElement?.textContent ?? '');
    await expect.poll(focused).toContain(title);
    // The header stays where it is.
    expect(await app.page.evaluate(() => document.documentElement.scrollTop)).toBe(0);
  });

  test('lead to their events on the timeline', async () => {
    await card('workers-to-cores')
      .getByRole('button', { name: /events?$/ })
      .first()
      .click();
    await expect
      .poll(() => app.page.getByRole('tab', { name: 'Timeline' }).getAttribute('aria-selected'))
      .toBe('true');
    // The panel steps through the others.
    const occurrences = app.page.getByRole('region', { name: 'Occurrences' });
    await occurrences.getByRole('button', { name: 'Next occurrence' }).click();
    await expect.poll(() => occurrences.getByRole('combobox').inputValue()).toBe('1');
    await occurrences.getByRole('button', { name: 'Close the list' }).click();
    await app.page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('lead from a time without work to its wait chain', async () => {
    const figures = app.page.getByRole('region', { name: 'Steps in figures' });
    await figures
      .getByRole('button', { name: /^\d[\d.]+\sms$/ })
      .first()
      .click();
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await expect.poll(() => panel.innerText()).toContain('DataLoader worker');
    await app.page.getByRole('tab', { name: 'Overview' }).click();
  });

  test('stand in the list once each, with how they reach the GPU and their occurrences', async () => {
    const titles = await app.page.locator('details[data-finding] > summary strong').allInnerTexts();
    expect(new Set(titles).size).toBe(titles.length);
    const first = card('workers-to-cores');
    for (const level of ['SYSTEM', 'HOST', 'CUDA'])
      await expect.poll(() => first.innerText()).toContain(level);
    await first.getByText(/^Happened \d+ times$/).click();
    await first.getByRole('row').nth(1).getByRole('button').click();
    await expect
      .poll(() => app.page.getByRole('tab', { name: 'Timeline' }).getAttribute('aria-selected'))
      .toBe('true');
  });
});

describeWith(['chromium', 'sharedData'], 'the findings of the published file', () => {
  test('are none: the strongest evidence comes first, what it cannot tell is folded', async () => {
    const folder = join(sharedData, 'ingero');
    const app = await openAppPage({ args: ['--root', folder], width: 1280, height: 800 });
    try {
      const { page } = app;
      await page.getByLabel('Path on the machine').fill(join(folder, 'dataloader_starvation.db'));
      await page.keyboard.press('Enter');
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await verdict.waitFor();
      const text = await verdict.innerText();
      expect(text).toMatch(/^All 4 CPUs were busy in 22 of 40 samples/);
      expect(text).toContain('Strongest evidence, no proof');
      expect(text).toMatch(/169,055 times\. 29,956 to 53,526 times each/);
      expect(text).toContain('stood still for 5.000 s');
      expect(await page.locator('details[data-finding]').count()).toBe(0);
      const question = page.getByText('When did threads wait for a CPU');
      expect(await question.count()).toBe(0);
      await page.getByRole('button', { name: 'This trace cannot tell' }).click();
      await question.first().waitFor();
    } finally {
      await app.close();
    }
  });
});

describeWith(['chromium', 'sharedData'], 'a finding judged again', () => {
  test('in a trace of the library says what that shows, and what else differs', async () => {
    const folder = join(sharedData, 'ingero');
    const app = await openAppPage({
      args: ['--root', folder, '--root', join(root, 'resources/sample')],
      width: 1280,
      height: 800,
    });
    try {
      const { page } = app;
      const path = page.getByLabel('Path on the machine');
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await path.fill(join(folder, 'dataloader_starvation.db'));
      await page.keyboard.press('Enter');
      await verdict.waitFor();
      await page.getByRole('button', { name: 'Library' }).click();
      await path.fill(join(root, sample));
      await page.keyboard.press('Enter');
      const card = page.locator('details[data-finding="workers-to-cores"]');
      await card.getByText('a step takes less than').waitFor();
      await card.getByLabel('Second trace').selectOption({ index: 0 });
      await card.getByRole('button', { name: 'Judge it there' }).click();
      const outcome = card.getByRole('status');
      await outcome.waitFor();
      const text = await outcome.innerText();
      expect(text).toMatch(/^Cannot tell in dataloader_starvation\S* /);
      expect(text).toContain('What else differs between the two runs:');
      // The trace on the screen is still the first.
      expect(await verdict.innerText()).toContain('INPUT-BOUND');
      expect(await seriousFindings(page)).toEqual([]);
    } finally {
      await app.close();
    }
  });
});
