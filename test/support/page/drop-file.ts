import type { Page } from 'playwright-core';

/** Drops a file on the window, so far from its left edge. */
export async function dropFile(page: Page, name: string, text: string, clientX = 0): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], fileName));
      return data;
    },
    [name, text] as const,
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer, clientX });
}
