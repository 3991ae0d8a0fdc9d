import type { Page } from 'playwright-core';

/**
 * Presses “Go to the slowest copy” on the Overview. The card is filled as its answers come, and a button that moves
 * between the press and the release is not pressed: so its last answer is waited for.
 */
export async function goToSlowest(page: Page): Promise<void> {
  const card = page.locator('article[aria-label^="Why slow: "][aria-busy="false"]');
  await card.getByRole('button', { name: /^Go to the slowest/ }).click();
  await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
}
