import type { Page } from 'playwright-core';

/** Presses “Go to the slowest copy” on the Overview, once the card is filled. */
export async function goToSlowest(page: Page): Promise<void> {
  const card = page.locator('article[aria-label^="Why slow: "][aria-busy="false"]');
  await card.getByRole('button', { name: /^Go to the slowest/ }).click();
  await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
}
