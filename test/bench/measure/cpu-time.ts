import type { Browser } from 'playwright-core';

/** Frames of a page: the time between them, ms, and the CPU time that the browser took for one, ms. */
export interface Frames {
  readonly deltas: readonly number[];
  readonly cpuMs: number;
}

/** The CPU time of all processes of a browser so far, ms. */
async function browserCpuMs(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1e3, 0);
}

/** What `draw` draws. Its CPU time is much the same on a machine that others use, too; the times between its frames are not. */
export async function framesOf(
  browser: Browser,
  draw: () => Promise<readonly number[]>,
): Promise<Frames> {
  const before = await browserCpuMs(browser);
  const deltas = await draw();
  return { deltas, cpuMs: ((await browserCpuMs(browser)) - before) / deltas.length };
}
