import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousFindings } from '../support/page/axe.ts';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** What one finds, writes down, comes back to and sends to somebody, in order: each step stands on the one before. */
describeWith(['chromium'], 'notes, bookmarks, the view and its link', () => {
  let timeline: TimelinePage;
  let page: Page;

  beforeAll(async () => {
    timeline = await openTimeline();
    page = timeline.page;
  });
  afterAll(() => timeline.app.close());

  const editor = (on: Page) => on.getByLabel('Text of the note');
  const list = (on: Page) => on.getByRole('list', { name: 'Notes and bookmarks' });
  const note = (on: Page, name: RegExp) => list(on).getByRole('article', { name });
  /** Another tab of the same browser. */
  async function openOther(address: string): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(address);
    return other;
  }
  /** A view is kept in whole ns. */
  const expectNear = (left: { startNs: number; endNs: number }) =>
    expect
      .poll(async () => {
        const { startNs, endNs } = await timeline.view();
        return Math.max(Math.abs(startNs - left.startNs), Math.abs(endNs - left.endNs));
      })
      .toBeLessThanOrEqual(1);
  async function addressRests(): Promise<boolean> {
    const before = page.url();
    // It follows the screen 300 ms later.
    await page.waitForTimeout(500);
    return page.url() === before;
  }
  const goTo = (on: Page, tab: string) => on.getByRole('tab', { name: tab }).click();

  test('M writes a note on the selected range, without leaving the timeline', async () => {
    await timeline.drag(/CUDA calls/, 0.3, 0.45);
    await page.keyboard.press('KeyM');
    await editor(page).waitFor();
    await page.keyboard.type(
      '# The pin thread\n\nwaits for **worker 3** <img src=x onerror=alert(1)>',
    );
    await page.keyboard.press('Control+Enter');
    await editor(page).waitFor({ state: 'detached' });
    await page.locator('.corner').getByText('Notes').waitFor();
  });

  test('Escape asks before text is lost', async () => {
    await page.keyboard.press('KeyM');
    await page.keyboard.type('half a thought');
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard what you wrote?' });
    await question.waitFor();
    await page.keyboard.press('Enter');
    expect(await editor(page).inputValue()).toBe('half a thought');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await editor(page).waitFor({ state: 'detached' });
  });

  test('the flag opens the note', async () => {
    const box = await page.locator('.strip').boundingBox();
    if (box === null) throw new Error('there are no flags');
    await page.mouse.click(box.x + 0.3 * box.width + 6, box.y + 8);
    const card = page.getByRole('region', { name: 'Note' });
    await card.getByText('The pin thread').waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
  });

  test('B puts the next digit on the view, and the digit brings it back', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Digit0');
    await expect.poll(async () => (await timeline.view()).startNs).toBe(0);
    const whole = await timeline.view();
    await page.keyboard.press('KeyN');
    await timeline.expectViewLeft(whole);
    await page.keyboard.press('KeyF');
    await expect.poll(() => timeline.panel.textContent()).toContain('Waiting for a CPU');
    const announced = await timeline.nextAnnouncement();
    await page.keyboard.press('KeyB');
    await page.getByText('Bookmark 1: the key 1 brings you back here.').waitFor();
    const there = await timeline.view();
    await page.keyboard.press('Digit0');
    await page.keyboard.press('Escape');
    await timeline.expectViewLeft(there);
    await goTo(page, 'Overview');
    await page.keyboard.press('Digit1');
    await timeline.expectView(there);
    await expect.poll(() => timeline.announcement()).toContain(announced.split(': ').at(-1));
    await page.keyboard.press('Digit5');
    await page.getByText(/^Bookmark 5 is empty/).waitFor();
  });

  test('the notes tab lists both by time, and shows Markdown as text', async () => {
    await goTo(page, 'Notes');
    const names = () =>
      list(page)
        .getByRole('article')
        .evaluateAll((articles) => articles.map((each) => each.getAttribute('aria-label')));
    await expect.poll(names).toEqual(['Bookmark 1: Bookmark 1', 'Note: The pin thread']);
    const pin = note(page, /pin thread/);
    expect(await pin.getByRole('heading').textContent()).toBe('The pin thread');
    expect(await pin.locator('strong').textContent()).toBe('worker 3');
    expect(await pin.locator('img').count()).toBe(0);
    expect(await pin.textContent()).toContain('<img src=x onerror=alert(1)>');
  });

  test('a search and a kind narrow the list', async () => {
    await page.keyboard.press('Slash');
    await page.keyboard.type('WORKER pin');
    await expect.poll(() => list(page).getByRole('article').count()).toBe(1);
    await page.keyboard.type('x');
    await page.getByText('Nothing here matches.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: /^Bookmarks/ }).click();
    await expect.poll(() => note(page, /^Note/).count()).toBe(0);
    await page.getByRole('button', { name: /^All/ }).click();
  });

  test('a note shows its range on the timeline', async () => {
    await note(page, /pin thread/)
      .getByRole('button', { name: /^Show on the timeline: The pin/ })
      .click();
    await timeline.rangeBar.waitFor();
    const { startNs, endNs } = await timeline.view();
    expect(endNs - startNs).toBeLessThan(4e9);
    expect(startNs).toBeGreaterThan(3e9);
  });

  test('a deleted note comes back with Undo', async () => {
    await goTo(page, 'Notes');
    await page.getByRole('button', { name: 'Delete: The pin thread' }).click();
    await note(page, /pin thread/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await note(page, /pin thread/).waitFor();
  });

  test('of two windows that edit one note, nobody’s words are lost', async () => {
    const other = await openOther(page.url());
    await goTo(other, 'Notes');
    for (const each of [page, other]) {
      await each.getByRole('button', { name: 'Edit: The pin thread' }).click();
      await editor(each).waitFor();
    }
    await editor(other).fill('theirs: it is the disk');
    await other.keyboard.press('Control+Enter');
    await note(other, /theirs/).waitFor();
    await editor(page).fill('mine: it is the lock');
    const theirs = page.getByRole('region', { name: 'Their version' });
    await expect.poll(() => theirs.textContent()).toContain('it is the disk');
    await page.keyboard.press('Control+Enter');
    expect(await editor(page).inputValue()).toBe('mine: it is the lock');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await note(page, /mine: it is the lock/).waitFor();
    await note(other, /mine: it is the lock/).waitFor();
    await other.close();
  });

  test('a reload shows the view that was left', async () => {
    await goTo(page, 'Timeline');
    await page.keyboard.press('Digit1');
    await timeline.filter.fill('cuda');
    await timeline.drag(/CUDA calls/, 0.2, 0.4);
    const left = await timeline.view();
    const range = await timeline.rangeBar.locator('.muted').innerText();
    await page.reload();
    await expectNear(left);
    await expect.poll(() => timeline.rangeBar.locator('.muted').innerText()).toBe(range);
    expect(await timeline.filter.inputValue()).toBe('cuda');
    await expect.poll(() => timeline.panel.textContent()).toContain('Waiting for a CPU');
  });

  test('a text that is being written outlives a reload', async () => {
    await page.keyboard.press('KeyM');
    await editor(page).waitFor();
    await page.keyboard.type('not done yet');
    await page.reload();
    await page.getByText('What you were writing').waitFor();
    await goTo(page, 'Notes');
    await expect.poll(() => editor(page).inputValue()).toBe('not done yet');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await editor(page).waitFor({ state: 'detached' });
    await goTo(page, 'Timeline');
  });

  test('the library and back again keeps it too', async () => {
    const left = await timeline.view();
    await page.getByRole('button', { name: /Library/ }).click();
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.goBack();
    await expectNear(left);
    await page.getByRole('button', { name: /Library/ }).click();
    await page.goto(new URL(page.url()).origin);
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    await page
      .getByRole('row', { name: /Sample/ })
      .getByRole('button', { name: /Sample/ })
      .first()
      .click();
    await expectNear(left);
  });

  test('a link opens the view in a fresh page', async () => {
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    // Which tracks tell of the call is known, and in the link, once the call is explained.
    await timeline.settled();
    await expect.poll(() => timeline.panel.textContent()).toContain('Waiting for a CPU');
    const left = await timeline.view();
    await page.keyboard.press('Control+Shift+KeyL');
    await page
      .getByText(/^Link copied\. It carries the time in view, the selected range/)
      .waitFor();
    const link = await page.evaluate<string>('window.copied');
    await page.keyboard.press('Digit0');
    await timeline.expectViewLeft(left);
    const other = await openOther(link);
    const ruler = other.getByRole('img', { name: /^In view/ });
    await ruler.waitFor();
    await page.goto(link);
    await expectNear(left);
    expect(await ruler.getAttribute('aria-label')).toBe(
      await page.getByRole('img', { name: /^In view/ }).getAttribute('aria-label'),
    );
    await other.close();
  });

  test('a link to a file that is not here names it, and the screen stays', async () => {
    await expect.poll(addressRests).toBe(true);
    const own = page.url();
    await page.goto(own.replace(/#.*/, '#investigation=7&sha=00000000000000aa'));
    await page.getByText(/begins with 0000 0000 0000 00aa: import it/).waitFor();
    await expect.poll(() => page.url()).toBe(own);
    await page.goto(own.replace(/#.*/, '#investigation=1&view=<x>'));
    await page.getByText('This link cannot be read').waitFor();
    await expect.poll(() => page.url()).toBe(own);
  });

  test('the library finds the investigation by what its notes say', async () => {
    await page.getByRole('button', { name: /Library/ }).click();
    const search = page.getByRole('searchbox', { name: /^Search names/ });
    await search.fill('mine lock');
    const row = page.getByRole('row', { name: /Sample/ });
    await expect.poll(() => row.textContent()).toContain('mine: it is the lock');
    await search.fill('nobody wrote this');
    await row.waitFor({ state: 'detached' });
    await search.fill('');
    await page.goBack();
    await page.getByRole('img', { name: /^In view/ }).waitFor();
  });

  test('the list of notes has no accessibility faults that matter', async () => {
    await goTo(page, 'Notes');
    await page.getByRole('button', { name: /^Edit: mine/ }).click();
    await editor(page).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await goTo(page, 'Timeline');
  });

  test('a fresh view is one command, and can be undone', async () => {
    const left = await timeline.view();
    await page.getByRole('button', { name: 'Start fresh' }).click();
    await expect.poll(async () => (await timeline.view()).startNs).toBe(0);
    await timeline.rangeBar.waitFor({ state: 'detached' });
    expect(await timeline.filter.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectNear(left);
  });

  test('the page never threw, logged an error or broke its policy', () => {
    timeline.app.expectNoComplaints();
  });
});
