/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseLink } from '../../src-main/shared/library/link.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { goToSlowest } from '../support/page/go-to-slowest.ts';
import { samplePath } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['chromium'], 'the shell', () => {
  let app: AppPage;
  const title = () => app.page.getByRole('heading', { level: 1 }).textContent();
  const tabInAddress = () => {
    const parsed = parseLink(new URL(app.page.url()).hash);
    return parsed.kind === 'link' ? (parsed.link.view?.tab ?? 'overview') : parsed.kind;
  };

  beforeAll(async () => {
    app = await openAppPage();
    await app.page.getByRole('row', { name: /Sample/ }).waitFor();
  });
  afterAll(() => app.close());

  test('a trace opened by the keyboard is gone on with from its tabs', async () => {
    const { page } = app;
    await page.getByRole('button', { name: /^Sample/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tab-overview');
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => page.getByRole('tab', { name: 'Timeline' }).getAttribute('aria-selected'))
      .toBe('true');
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => page.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected'))
      .toBe('true');
    // The address follows after a moment; until then Back would lead to the timeline.
    await expect.poll(tabInAddress).toBe('overview');
    // It names the file's bytes once they are read, and stays as it is from then on.
    await expect.poll(() => page.url()).toMatch(/[#&]sha=[0-9a-f]/);
  });

  test('a trace that opens by itself has the focus on its tab, and no box round it before a key is pressed', async () => {
    const opened = await openAppPage({ args: [samplePath] });
    try {
      const tab = (name: string) => opened.page.getByRole('tab', { name });
      const outline = (name: string) =>
        tab(name).evaluate((element) => getComputedStyle(element).outlineStyle);
      await expect
        .poll(() => opened.page.evaluate('document.activeElement.id'))
        .toBe('tab-overview');
      expect(await outline('Overview')).toBe('none');
      await tab('Flame').click();
      expect(await outline('Flame')).toBe('none');
      await opened.page.keyboard.press('ArrowLeft');
      await expect.poll(() => outline('Timeline')).toBe('solid');
    } finally {
      await opened.close();
    }
  });

  test('the skip link leads to the content and leaves the trace open', async () => {
    const { page } = app;
    const address = page.url();
    await page.getByRole('link', { name: 'Skip to the content' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    expect(page.url()).toBe(address);
    expect(await page.getByRole('tab').count()).toBeGreaterThanOrEqual(2);
  });

  test('a fragment that is not ours closes nothing', async () => {
    const { page } = app;
    const address = page.url();
    await page.evaluate('location.hash = "elsewhere"');
    await page.evaluate('new Promise((settled) => setTimeout(settled, 100))');
    expect(await page.getByRole('tab').count()).toBeGreaterThanOrEqual(2);
    await page.goBack();
    await expect.poll(() => page.url()).toBe(address);
    expect(await page.getByRole('tab').count()).toBeGreaterThanOrEqual(2);
  });

  test('only its panes scroll, never the page', async () => {
    const { page } = app;
    await page
      .getByRole('row', { name: /cudaMemcpyAsync/ })
      .first()
      .waitFor();
    const scrolled = 'document.documentElement.scrollTop + document.body.scrollTop';
    await page.mouse.move(1100, 600);
    await page.mouse.wheel(0, 5000);
    await page.mouse.move(300, 600);
    await page.mouse.wheel(0, 50_000);
    await page.keyboard.press('Space');
    await expect
      .poll(() => page.evaluate('document.querySelector("#panel-overview").scrollTop'))
      .toBeGreaterThan(100);
    expect(await page.evaluate(scrolled)).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  });

  const shownTab = (name: string) => app.page.getByRole('tab', { name, selected: true }).waitFor();

  test('Back and Forward go through the tabs, steps and findings that were looked at', async () => {
    const { page } = app;
    const panel = page.getByRole('complementary', { name: 'Why slow' });
    const steps = page.getByRole('region', { name: 'Steps', exact: true });
    const worst = await panel.getByRole('article').getAttribute('aria-label');
    // A step that follows the change of tab in a hurry would be one place with it.
    await page.waitForTimeout(700);
    await steps.getByRole('button', { name: /^Step 1, / }).click();
    await panel.getByRole('article', { name: 'Why slow: Step 1', exact: true }).waitFor();
    const events = page.locator('details[data-finding]').getByRole('button', { name: /events?$/ });
    await events.first().click();
    await shownTab('Timeline');
    await page.getByRole('tab', { name: 'Notes' }).click();
    await page.goBack();
    await shownTab('Timeline');
    await page.getByRole('region', { name: 'Occurrences' }).waitFor();
    await page.goBack();
    await shownTab('Overview');
    await panel.getByRole('article', { name: 'Why slow: Step 1', exact: true }).waitFor();
    await page.goBack();
    await panel.getByRole('article', { name: String(worst), exact: true }).waitFor();
    await page.goForward();
    await panel.getByRole('article', { name: 'Why slow: Step 1', exact: true }).waitFor();
    expect(await page.getByText('This is the shared view').count()).toBe(0);
    await steps.getByRole('button', { name: 'Back to the costliest' }).click();
  });

  test('a reload shows the same trace; Back leads, past what was looked at, to the library, Forward to the trace', async () => {
    const { page } = app;
    const name = await title();
    await expect.poll(tabInAddress).toBe('overview');
    await page.reload();
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    expect(await title()).toBe(name);
    const library = page.getByRole('heading', { name: 'Library' });
    await expect
      .poll(async () => {
        if ((await library.count()) === 0) await page.goBack();
        return library.count();
      })
      .toBe(1);
    await page.goForward();
    await shownTab('Overview');
    expect(await title()).toBe(name);
  });

  test('an address that leads nowhere says so and is taken back', async () => {
    const { page } = app;
    // The address names the bytes as soon as they are hashed.
    await expect.poll(() => page.url()).toMatch(/[#&]sha=[0-9a-f]/);
    const own = page.url();
    await page.goto(own.replace(/#.*/, '#investigation=99999'));
    await page.getByText('no longer in the library').waitFor();
    expect(page.url()).toBe(own);
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
  });

  test('the way to the slowest copy leads to the timeline', async () => {
    const { page } = app;
    await goToSlowest(page);
    await page
      .getByRole('row', { name: /CUDA calls/ })
      .first()
      .waitFor();
    // Fitted: of 14 s, a part of the third is in view.
    await expect
      .poll(() => page.getByRole('img', { name: /^In view/ }).getAttribute('aria-label'))
      .toMatch(/^In view: \+2\..* to \+2\./);
    const panel = page.getByRole('complementary', { name: 'Why slow' });
    await expect.poll(() => panel.textContent()).toMatch(/Waiting for a CPU/);
  });

  test('the finding is copied as Markdown that names the trace and carries raw figures', async () => {
    const { page } = app;
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect.poll(() => page.evaluate('window.copied ?? ""')).toMatch(/^## Why slow: `cuda/);
    const copied = String(await page.evaluate('window.copied'));
    expect(copied).toMatch(/This trace is synthetic/);
    expect(copied).toMatch(/\| Trace \| `Sample: a DataLoader that starves the GPU` \|/);
    expect(copied).toMatch(/Of the call’s [\d.]+ ms \(\d+ ns\): Waiting for a CPU/);
    expect(copied.split('\n').length).toBeLessThanOrEqual(60);
  });

  test('a page without a session asks for the link, wherever Stalltrace was started', async () => {
    const stranger = await app.page.context().browser()?.newPage();
    await stranger?.goto(new URL('/', app.page.url()).href);
    const text = () => stranger?.getByRole('main').textContent();
    await expect.poll(text).toMatch(/the link that Stalltrace printed in its terminal/);
    await stranger?.close();
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});
