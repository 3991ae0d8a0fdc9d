import type { Page } from 'playwright-core';

/** Presses “Go to the slowest copy”: in the Overview's card where copies are the cause, else beside the timeline. */
export async function goToSlowest(page: Page): Promise<void> {
  const card = page.locator('article[aria-label^="Why slow: "][aria-busy="false"]');
  await card.waitFor();
  const slowest = page.getByRole('button', { name: /^Go to the slowest/ });
  if ((await slowest.count()) === 0) await page.getByRole('tab', { name: 'Timeline' }).click();
  await slowest.first().click();
  await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
}
