import type { Page } from 'playwright-core';

/** Unfolds all that stands behind the answer in the panel; it stays so for this library. */
export async function openHowKnown(page: Page): Promise<void> {
  const panel = page.getByRole('complementary', { name: 'Why slow' });
  const toggle = panel.getByRole('button', { name: 'How do we know?' });
  await toggle.waitFor();
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
}
