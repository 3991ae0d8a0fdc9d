/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import type { Download, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';

const CHROMIUM_MS = 60_000;

/** Width and height of a PNG, from its IHDR chunk (ISO/IEC 15948, 11.2.2). */
function pngSize(file: Buffer): { width: number; height: number } {
  expect(file.subarray(1, 4).toString('latin1')).toBe('PNG');
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

describe('a picture of the timeline', () => {
  let timeline: TimelinePage;
  let dialog: Locator;

  beforeAll(async () => {
    timeline = await openTimeline();
    dialog = timeline.page.getByRole('dialog', { name: 'Save a picture of the timeline' });
    await timeline.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  }, CHROMIUM_MS);
  afterEach(() => timeline.app.expectNoComplaints());
  afterAll(() => timeline.app.close());

  async function open() {
    await timeline.page.getByRole('button', { name: 'Share' }).click();
    await timeline.page.getByRole('menuitem', { name: /picture/ }).click();
    await dialog.getByRole('img').waitFor();
    await expect.poll(() => dialog.getByRole('status').innerText()).toContain('pixels');
  }
  async function save(): Promise<{ name: string; file: Buffer }> {
    const waiting: Promise<Download> = timeline.page.waitForEvent('download');
    await dialog.getByRole('button', { name: /^Save/ }).click();
    const download = await waiting;
    const name = download.suggestedFilename();
    await timeline.page.getByText(`Saved as ${name}.`).first().waitFor();
    return { name, file: readFileSync(await download.path()) };
  }
  /** The saved SVG as Chromium's XML parser reads it. */
  async function saveSvg(): Promise<{ error: string; texts: string; scripts: number }> {
    await dialog.getByLabel('Format').selectOption('svg');
    const { name, file } = await save();
    expect(name).toMatch(/^(Stalltrace|Sample.*) timeline\.svg$/);
    return timeline.page.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
      return {
        error: parsed.querySelector('parsererror')?.textContent ?? '',
        texts: [...parsed.querySelectorAll('text')].map((text) => text.textContent).join('\n'),
        scripts: parsed.querySelectorAll('script, foreignObject, image, use, [href]').length,
      };
    }, file.toString());
  }

  test('is saved as PNG of the chosen width', async () => {
    await open();
    await dialog.getByLabel('Width').selectOption('1600');
    await expect.poll(() => dialog.getByRole('status').innerText()).toMatch(/^1600 × \d+ pixels$/);
    const { name, file } = await save();
    expect(name).toMatch(/\.png$/);
    expect(pngSize(file).width).toBe(1600);
    expect(pngSize(file).height).toBeGreaterThan(300);
    await dialog.waitFor({ state: 'hidden' });
  });

  test('is saved as SVG with the tracks of the screen, without the host', async () => {
    await timeline.filter.fill('pid:4180');
    await open();
    const { error, texts, scripts } = await saveSvg();
    expect(error).toBe('');
    expect(scripts).toBe(0);
    expect(texts).toContain('worker 1');
    expect(texts).not.toContain('worker 2');
    expect(texts).toContain('filter: pid:4180');
    expect(texts).not.toContain('simulated-host');
    await timeline.filter.fill('');
  });

  test('shows the range and the host where asked, in the other theme', async () => {
    await timeline.drag(/CUDA calls/, 0.3, 0.5, 'Alt');
    await timeline.drag(/CUDA calls/, 0.3, 0.5);
    await open();
    await dialog.getByRole('checkbox', { name: /Hide host/ }).uncheck();
    await dialog.getByLabel('Theme').selectOption('dark');
    await expect
      .poll(() => dialog.getByRole('img').getAttribute('src'))
      .toMatch(/simulated-host.*%2312161a/s);
    const { texts } = await saveSvg();
    expect(texts).toContain('Selected range');
  });

  test('is copied as PNG', async () => {
    await open();
    await dialog.getByRole('button', { name: 'Copy PNG' }).click();
    const copied = () =>
      timeline.page.evaluate(async () => {
        const [item] = await navigator.clipboard.read();
        return item?.types.join();
      });
    await expect.poll(copied).toBe('image/png');
    await timeline.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
});
