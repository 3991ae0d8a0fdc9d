import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith } from '../support/requirements.ts';

const dialogs = [
  ['Control+KeyK', 'Command palette'],
  ['Control+Comma', 'Settings'],
  ['?', 'Keys and mouse'],
] as const;

describeWith(['chromium'], 'by axe-core', () => {
  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    let app: AppPage;
    beforeAll(async () => {
      app = await openAppPage({ colorScheme });
      // Colours on their way, of what fades in, are nobody's.
      await app.page.emulateMedia({ reducedMotion: 'reduce' });
    });
    afterAll(() => app.close());

    test('the library', async () => {
      const { page } = app;
      await page.getByRole('row', { name: /Sample/ }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    });

    test('the overview', async () => {
      const { page } = app;
      await page
        .getByRole('button', { name: /Sample/ })
        .first()
        .click();
      await page
        .getByRole('row', { name: /cudaMemcpyAsync H2D/ })
        .first()
        .waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    });

    test('the timeline and its panel', async () => {
      const { page } = app;
      await page.getByRole('tab', { name: 'Timeline' }).click();
      await page.getByRole('row', { name: /CUDA calls/ }).waitFor();
      await page.keyboard.press('KeyN');
      const panel = page.getByRole('complementary', { name: 'Why slow' });
      await expect.poll(() => panel.textContent()).toContain('How do we know?');
      expect(await seriousFindings(page, { smallTargets: true })).toEqual([]);
    });

    test('the recording, with nothing selected and no empty panel beside it', async () => {
      const { page } = app;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Recording' }).click();
      await page.getByRole('tabpanel', { name: 'Recording' }).waitFor();
      await expect
        .poll(() => page.getByRole('complementary', { name: 'Why slow' }).count())
        .toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Timeline' }).click();
    });

    test.each(dialogs)('%s: %s', async (keys, name) => {
      const { page } = app;
      await page.keyboard.press(keys);
      await page.getByRole('dialog', { name }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    });
  });
});
