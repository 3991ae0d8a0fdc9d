import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

/** The same browser without its window, whose own pages take a fifth of the CPU time of a test. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const isThere = (path: string | undefined) => path !== undefined && path !== '' && existsSync(path);

/** Path of a Chromium on this machine that has a window, `undefined` where there is none. */
export function findWholeChromium(): string | undefined {
  return WHOLE.find(isThere);
}

/** Path of any Chromium, for all that happens in a page. */
export function findChromium(): string | undefined {
  return [process.env.CHROMIUM_PATH, HEADLESS_SHELL].find(isThere) ?? findWholeChromium();
}

/** Chromium refuses its sandbox to root, which is what containers run tests as. */
const sandboxArguments = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

const QUIET_ARGUMENTS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/** Options for playwright-core to start that Chromium, which talks to nobody but the page's own host. */
export function chromiumOptions(extraArguments: readonly string[] = []): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('no Chromium found: apt-get install chromium, or set CHROMIUM_PATH');
  }
  return { executablePath, args: [...sandboxArguments, ...QUIET_ARGUMENTS, ...extraArguments] };
}

export function launchChromium(extraArguments: readonly string[] = []): Promise<Browser> {
  return chromium.launch(chromiumOptions(extraArguments));
}

/** For what the headless shell does not do as a browser with a window: it forgets a tab's storage on the way back from another site. */
export function launchWholeChromium(): Promise<Browser> {
  const executablePath = findWholeChromium();
  if (executablePath === undefined) throw new Error('no Chromium found: apt-get install chromium');
  return chromium.launch({ ...chromiumOptions(), executablePath });
}
