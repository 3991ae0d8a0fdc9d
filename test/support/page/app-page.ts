import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type BrowserHost, startBrowserHost } from './browser-host.ts';
import { launchChromium } from './chromium.ts';

/** The app in a real browser, as a user has it: its host, its page, and what the page complained of. */
export interface AppPage {
  readonly host: BrowserHost;
  readonly page: Page;
  /** Fails where the page threw, logged an error or broke its content security policy. */
  expectNoComplaints(): void;
  close(): Promise<void>;
}

export interface AppPageOptions {
  /** Arguments of `stalltrace serve`. */
  readonly args?: readonly string[];
  readonly width?: number;
  readonly height?: number;
  /** The browser's zoom: 2 leaves half the width and height to the page, each point twice as large. 1 unless told. */
  readonly zoom?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Beside that of the tests. */
  readonly environment?: NodeJS.ProcessEnv;
}

export async function openAppPage(options: AppPageOptions = {}): Promise<AppPage> {
  const { args = [], width = 1280, height = 800, zoom = 1, colorScheme = 'light' } = options;
  const host = await startBrowserHost(args, undefined, undefined, options.environment);
  const browser: Browser = await launchChromium();
  // A context of its own takes further tabs, which share what tabs of a browser share.
  const context = await browser.newContext({
    viewport: { width: width / zoom, height: height / zoom },
    deviceScaleFactor: zoom,
    colorScheme,
  });
  // As long as an expect.poll: what never comes fails all the same.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(host.link);
  return {
    host,
    page,
    expectNoComplaints: () => expect(complaints).toEqual([]),
    async close() {
      await browser.close();
      await host.stop();
    },
  };
}
