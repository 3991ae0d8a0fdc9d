import type { Page } from 'playwright-core';

const ATTEMPTS = 10;

/**
 * Drops a file or folder of this machine on the window, as a file manager does, so far from its left edge. Beside busy processes
 * the browser may take the drop before the page has said that it takes files, and drops nothing then: it is tried again.
 */
export async function dropPath(page: Page, path: string, x = 40): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  await page.evaluate(
    "isDropped = false; addEventListener('drop', () => { isDropped = true; }, { once: true });",
  );
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const type of ['dragEnter', 'dragOver'] as const)
      await session.send('Input.dispatchDragEvent', { type, x, y: 40, data });
    await page.getByText('Drop traces, a folder of them').waitFor();
    for (const type of ['dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x, y: 40, data });
    if (await page.evaluate('isDropped')) break;
  }
  if (!(await page.evaluate('isDropped'))) throw new Error(`the window did not take ${path}`);
  await session.detach();
}
