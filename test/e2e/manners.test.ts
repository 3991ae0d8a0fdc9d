import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { seriousFindings } from '../support/page/axe.ts';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['chromium'], 'the app’s manners', () => {
  let timeline: TimelinePage;
  let whole: { startNs: number; endNs: number };

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await timeline.page.keyboard.press(key);
  };
  const dialog = (name: string) => timeline.page.getByRole('dialog', { name });
  const focusedId = () => timeline.page.evaluate('document.activeElement.id');
  /** What the host keeps of the settings is there at the next start of the page. */
  async function reload() {
    await timeline.page.reload();
    await timeline.page.getByRole('tab', { name: 'Timeline' }).click();
    await timeline.row(/CUDA calls/).waitFor();
    await timeline.page.getByRole('img', { name: /^In view/ }).waitFor();
  }
  /** What the library holds of the sizes of panes. */
  function keptPanes(): string {
    const library = new DatabaseSync(join(timeline.app.host.dataFolder, 'library.db'), {
      readOnly: true,
    });
    try {
      return JSON.stringify(library.prepare("SELECT value FROM setting WHERE key = 'panes'").all());
    } finally {
      library.close();
    }
  }
  const widthOf = async () => Math.round((await timeline.panel.boundingBox())?.width ?? 0);

  beforeAll(async () => {
    timeline = await openTimeline();
    whole = await timeline.view();
  });
  beforeEach(async () => {
    await press('Escape', 'Escape', 'Escape', 'Digit0');
    await timeline.expectView(whole);
  });
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  test('the palette runs a command, gives the focus back, and has the last one first', async () => {
    const { page } = timeline;
    await page.getByRole('tab', { name: 'Timeline' }).focus();
    await press('Control+KeyK');
    const box = dialog('Command palette').getByRole('combobox');
    await page.keyboard.type('zoom');
    const options = dialog('Command palette').getByRole('option');
    await expect.poll(() => options.first().innerText()).toContain('Zoom in');
    const activeId = await options.first().getAttribute('id');
    expect(await box.getAttribute('aria-activedescendant')).toBe(activeId);
    await press('ArrowDown');
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true');
    await press('ArrowUp', 'Enter');
    const zoomed = await timeline.expectViewLeft(whole);
    expect(zoomed.endNs - zoomed.startNs).toBeLessThan(whole.endNs - whole.startNs);
    expect(await focusedId()).toBe('tab-timeline');
    await press('Control+KeyK');
    await expect.poll(() => options.first().innerText()).toContain('Zoom in');
    await page.keyboard.type('no such thing');
    await page.getByText('No command, function, operation or row available here').waitFor();
    await expect
      .poll(() => options.last().innerText())
      .toContain('Search the events of the timeline for “no such thing”');
    await press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await focusedId()).toBe('tab-timeline');
  });

  test('the palette opens a trace of the library', async () => {
    const { page } = timeline;
    await press('Control+KeyK');
    await page.keyboard.type('library');
    await press('Enter');
    await page
      .getByRole('row', { name: /^Sample|Sample/ })
      .first()
      .waitFor();
    await press('Control+KeyK');
    await page.keyboard.type('open sample');
    await press('Enter');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await timeline.row(/CUDA calls/).waitFor();
  });

  test('a key is changed, a conflict is named and asked for, and it is there after a reload', async () => {
    const { page } = timeline;
    await press('Control+Comma');
    const settings = dialog('Settings');
    await settings.getByLabel('Search commands and keys').fill('zoom in');
    await settings.getByRole('button', { name: /^Zoom in: W/ }).click();
    await press('Control+KeyC');
    await settings.getByText('Ctrl+C copies and edits text: press another.').waitFor();
    await press('KeyN');
    await settings.getByText('N belongs to “Next slow CUDA call”. Take it from there?').waitFor();
    await settings.getByRole('button', { name: 'Leave it' }).click();
    await settings.getByRole('button', { name: /^Zoom in: W/ }).click();
    await press('KeyX');
    await settings.getByRole('button', { name: /^Zoom in: X/ }).waitFor();
    await press('Escape');
    await reload();
    await press('KeyW');
    await press('KeyX');
    const zoomed = await timeline.expectViewLeft(whole);
    expect((zoomed.endNs - zoomed.startNs) / (whole.endNs - whole.startNs)).toBeCloseTo(1 / 1.5, 3);
    await press('?');
    await expect.poll(() => dialog('Keys and mouse').innerText()).toMatch(/X\s+Zoom in/);
    await dialog('Keys and mouse').getByRole('button', { name: 'Change the keys…' }).click();
    await settings.getByRole('button', { name: 'Reset all' }).click();
    await settings.getByRole('button', { name: /^Zoom in: W/ }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('the wheel zooms where the settings say so, and the sheet says it too', async () => {
    await press('Control+Comma');
    await dialog('Settings')
      .getByRole('radio', { name: /Zooms at the pointer/ })
      .check();
    await press('Escape');
    await timeline.wheel(/CUDA calls/, 0.5, [0, -100]);
    await timeline.expectViewLeft(whole);
    await press('?');
    await expect.poll(() => dialog('Keys and mouse').innerText()).toContain('Wheel, pinch');
    await press('Escape', 'Control+Comma');
    await dialog('Settings')
      .getByRole('radio', { name: /Scrolls the tracks/ })
      .check();
  });

  test('the theme is a setting, and nothing flashes at the next start', async () => {
    const { page } = timeline;
    await press('Control+KeyK');
    await page.keyboard.type('theme dark');
    await press('Enter');
    const theme = () => page.locator('html').getAttribute('data-theme');
    await expect.poll(theme).toBe('dark');
    await page.evaluate('localStorage.clear()');
    await reload();
    await expect.poll(theme).toBe('dark');
    expect(await page.evaluate('localStorage.getItem("stalltrace.theme")')).toBe('dark');
    await press('Control+Comma');
    await dialog('Settings').getByRole('radio', { name: 'Light' }).check();
    await expect.poll(theme).toBe('light');
  });

  test('the data folder is told, and why it can’t be changed here', async () => {
    await press('Control+Comma');
    const settings = dialog('Settings');
    await settings.getByText(timeline.app.host.dataFolder).waitFor();
    await settings.getByText('change it there').waitFor();
    expect(await settings.getByLabel('Another data folder').count()).toBe(0);
  });

  test('a message that passed can be read again', async () => {
    const { page } = timeline;
    await press('Control+KeyK');
    await page.keyboard.type('about');
    await press('Enter');
    await dialog('About Stalltrace').getByRole('button', { name: 'Copy' }).click();
    await press('Escape');
    await page.getByRole('button', { name: 'Messages so far, 1 unread' }).click();
    const list = dialog('Messages so far');
    await expect.poll(() => list.getByRole('listitem').innerText()).toContain('The versions are');
    await press('Escape');
    await page.getByRole('button', { name: 'Messages so far', exact: true }).click();
    await list.getByRole('button', { name: 'Clear' }).click();
    await list.getByText('There is no message').waitFor();
  });

  test('the about box says what runs, without the network', async () => {
    const { page } = timeline;
    await page.context().setOffline(true);
    await press('Control+KeyK');
    await page.keyboard.type('about');
    await press('Enter');
    const text = dialog('About Stalltrace');
    await expect.poll(() => text.innerText()).toMatch(/Stalltrace\s+0\.1\.0.*Node\.js\s+24\./s);
    expect(await text.innerText()).toMatch(/SQLite\s+3\..*Licence\s+None is granted/s);
    const link = text.getByRole('link', { name: /DataLoader/ });
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    await page.context().setOffline(false);
  });

  test('a pane keeps its size over a reload, fits a small window, and goes back', async () => {
    const { page } = timeline;
    const splitter = page.getByRole('separator', { name: 'Width of the Why slow panel' });
    const usual = await widthOf();
    await splitter.focus();
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    await expect.poll(widthOf).toBe(usual + 96);
    await expect.poll(keptPanes).toContain(String(usual + 96));
    await reload();
    await expect.poll(widthOf).toBe(usual + 96);
    await splitter.focus();
    await press(...Array.from({ length: 16 }, () => 'ArrowLeft'));
    await expect.poll(widthOf).toBeGreaterThan(700);
    await page.setViewportSize({ width: 1150, height: 600 });
    await expect.poll(widthOf).toBeLessThanOrEqual(690);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(widthOf).toBeGreaterThan(700);
    await splitter.dblclick();
    await expect.poll(widthOf).toBe(usual);
  });

  test('in a narrow window the panel lies over the tabs, and only when it is asked for', async () => {
    const { page, panel } = timeline;
    const tracks = page.locator('.timeline .tracks');
    const room = async () => (await tracks.boundingBox())?.width ?? 0;
    const fits = () =>
      page.evaluate(
        `document.documentElement.scrollWidth <= innerWidth &&
          document.documentElement.scrollHeight <= innerHeight`,
      );
    for (const size of [
      { width: 1100, height: 700 },
      { width: 900, height: 600 },
      // A window of 1280 × 800 at 200 %.
      { width: 640, height: 400 },
    ]) {
      await page.setViewportSize(size);
      await expect.poll(() => panel.count()).toBe(0);
      const alone = await room();
      await page.getByRole('button', { name: 'Why slow' }).click();
      await panel.waitFor();
      expect(await room()).toBe(alone);
      expect(await fits()).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await reload();
    }
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      expect(await fits(), await tab.innerText()).toBe(true);
    }
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('button', { name: 'Why slow' }).click();
    await panel.getByRole('button', { name: 'Close the panel' }).click();
    await expect.poll(() => panel.count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await press('Control+KeyB');
    await panel.waitFor();
  });

  test('all tabs are in sight however wide the window is, and none moves when another one is shown', async () => {
    const { page } = timeline;
    const cutOff = () =>
      page
        .locator('header:has([role="tablist"]), header [role="tablist"]')
        .evaluateAll((boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).length);
    const places = () =>
      page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().x));
    for (const width of [640, 900, 1100, 1280, 1680]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('tab', { name: 'Overview' }).click();
      await expect.poll(cutOff, { message: `${width}` }).toBe(0);
      const before = await places();
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click();
        expect(await places(), `${width}: ${await tab.innerText()}`).toEqual(before);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('tab', { name: 'Timeline' }).click();
  });

  test('the Share menu lists what can be taken out, with its keys', async () => {
    const { page } = timeline;
    await page.getByRole('button', { name: 'Share' }).click();
    const menu = page.getByRole('menu', { name: 'Share' });
    await expect.poll(() => menu.innerText()).toMatch(/Report….*Save as \.stalltrace…/s);
    expect(await menu.innerText()).toContain('Ctrl+Shift+S');
    await press('Escape');
    await expect.poll(() => menu.count()).toBe(0);
  });

  test('keys of the tabs lead there, also from a field; letters stay text', async () => {
    const { page, filter } = timeline;
    await filter.focus();
    await press('KeyW', 'Control+KeyB');
    expect(await filter.inputValue()).toBe('w');
    await expect.poll(() => timeline.panel.count()).toBe(0);
    await press('Control+KeyB', 'Escape', 'Escape');
    await press('Alt+Digit1');
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    await press('Alt+Digit2');
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
  });
});
