import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith } from '../support/requirements.ts';

const dialogs = [
  ['Control+KeyK', 'Command palette'],
  ['Control+Comma', 'Settings'],
  ['?', 'Keys and mouse'],
] as const;

describeWith(['chromium'], 'every screen, by axe-core', () => {
  let app: AppPage;
  beforeAll(async () => {
    app = await openAppPage();
  });
  afterAll(() => app.close());

  test.each(['light', 'dark'] as const)('%s', async (colorScheme) => {
    const { page } = app;
    // Colours on their way from one theme to the other are nobody's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    expect(await seriousFindings(page), 'library').toEqual([]);
    await page
      .getByRole('button', { name: /Sample/ })
      .first()
      .click();
    // The second time it opens as it was left: on the timeline.
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page
      .getByRole('row', { name: /cudaMemcpyAsync H2D/ })
      .first()
      .waitFor();
    expect(await seriousFindings(page), 'overview').toEqual([]);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('row', { name: /CUDA calls/ }).waitFor();
    await page.keyboard.press('KeyN');
    await expect
      .poll(() => page.getByRole('complementary', { name: 'Why slow' }).textContent())
      .toContain('How do we know?');
    expect(await seriousFindings(page), 'timeline and panel').toEqual([]);
    for (const [keys, name] of dialogs) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog', { name }).waitFor();
      expect(await seriousFindings(page), name).toEqual([]);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    await page.getByRole('button', { name: /Library/ }).click();
  });
});
