import type { Page } from 'playwright-core';

/** Drops a file or folder of this machine on the window, as a file manager does, so far from its left edge. */
export async function dropPath(page: Page, path: string, x = 40): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x, y: 40, data });
  await session.detach();
}
