import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from '../support/page/chromium.ts';

/** The Chromium that shows the windows, with a port a test can attach to. */
export interface BrowserDouble {
  readonly debugPort: number;
  /** A page for a window. Every page that was not made here is a popup, and is closed. */
  openPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<BrowserDouble> {
  const profile = await mkdtemp(join(tmpdir(), 'electron-double-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...chromiumOptions(['--remote-debugging-port=0']),
    viewport: null,
  });
  const [port = ''] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
  return {
    debugPort: Number(port),
    openPage: createPageOpener(context),
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function createPageOpener(context: BrowserContext): () => Promise<Page> {
  const unused = context.pages();
  let creating = 0;
  context.on('page', (page) => {
    if (creating === 0) void page.close().catch(() => undefined);
  });
  return async () => {
    // The empty page Chromium starts with becomes the first window.
    const first = unused.pop();
    if (first !== undefined) return first;
    creating += 1;
    try {
      return await context.newPage();
    } finally {
      creating -= 1;
    }
  };
}

let browser: BrowserDouble | undefined;

export function setBrowser(opened: BrowserDouble): void {
  browser = opened;
}

export function requireBrowser(): BrowserDouble {
  if (browser === undefined) throw new Error('electron double: the browser is not open');
  return browser;
}
