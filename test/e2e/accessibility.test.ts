import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/app-page.ts';
import { describeWith } from '../support/requirements.ts';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Serious and critical findings of axe-core, as `rule: element`. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

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
      .toContain('Where ');
    expect(await seriousFindings(page), 'timeline and panel').toEqual([]);
    await page.getByRole('button', { name: /Library/ }).click();
  });
});
