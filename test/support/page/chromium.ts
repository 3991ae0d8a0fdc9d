import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  // The same browser without its window, whose own pages take a third of the CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium on this machine, `undefined` where there is none. */
export function findChromium(): string | undefined {
  return CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
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
