import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** Published traces of each program, as who recorded them meets them in the window: nothing is asked that their files can't tell. */

const LINE = 'The line across the rows leads through what was waited for.';

async function withTrace(file: string, look: (app: AppPage) => Promise<void>): Promise<void> {
  const app = await openAppPage({ args: [join(sharedData, file)] });
  try {
    await app.page.getByRole('region', { name: 'Verdict' }).waitFor();
    await look(app);
    app.expectNoComplaints();
  } finally {
    await app.close();
  }
}

/** Each tab shows what it has, and its panel is not empty. */
async function expectAllTabs({ page }: AppPage): Promise<void> {
  const names = await page.getByRole('tab').allInnerTexts();
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    await page.getByRole('tab', { name, exact: true }).click();
    const panel = page.getByRole('tabpanel', { name });
    await expect.poll(async () => (await panel.innerText()).trim().length).toBeGreaterThan(0);
  }
  await page.getByRole('tab', { name: 'Overview' }).click();
}

async function reportOf({ page }: AppPage): Promise<string> {
  await page.keyboard.press('ControlOrMeta+KeyE');
  const dialog = page.getByRole('dialog', { name: 'Report' });
  await dialog.getByRole('button', { name: 'Markdown', exact: true }).click();
  const text = await dialog.getByRole('textbox', { name: 'Markdown' }).inputValue();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return text;
}

describeWith(['chromium', 'sharedData'], 'traces of other programs in the window', () => {
  test('PyTorch: what the GPU did explains a call whose thread was not recorded, and code is code', () =>
    withTrace('kineto/hta_a100_rank3of8.json.gz', async (app) => {
      const { page } = app;
      await page.getByText(LINE).waitFor();
      await expectAllTabs(app);
      await page
        .getByRole('button', { name: 'Show the slowest cudaMemcpyAsync on the timeline' })
        .first()
        .click();
      const panel = page.getByRole('complementary', { name: 'Why slow' });
      await panel.getByText(/^GPU 3 was busy with/).waitFor();
      await panel.getByText('Not recorded', { exact: true }).first().waitFor();
      expect(await panel.getByText('Unexplained').count()).toBe(0);
      expect(await reportOf(app)).toContain('`torch.compile(model, mode="reduce-overhead")`');
      await page.getByRole('tab', { name: 'Overview' }).click();
      const finding = page.locator('details[data-finding="launch-bound"]');
      await finding.evaluate((card) => card.setAttribute('open', ''));
      await finding.locator('p code', { hasText: 'torch.compile(' }).first().waitFor();
    }));

  test('PyTorch: what is typed into the filter and is no track is looked for among events', () =>
    withTrace('kineto/hta_rank0of128.json.gz', async (app) => {
      const { page } = app;
      // No moment stands out, so no line is drawn through what was waited for.
      await page.getByText('The whole recording').waitFor();
      expect(await page.getByText(LINE).count()).toBe(0);
      await page.getByRole('tab', { name: 'Timeline' }).click();
      await rowsSettled(page);
      await page.keyboard.press('Slash');
      await page.keyboard.type('memcpy');
      await page.getByRole('button', { name: 'Look for events instead: name:memcpy' }).click();
      await page
        .getByRole('row', { name: /CUDA calls/ })
        .first()
        .waitFor();
      expect(await page.getByLabel('Filter tracks and events').inputValue()).toBe('name:memcpy');
    }));

  test('Nsight Systems: launches that load their code first are no reason for a graph', () =>
    withTrace('nsys/jsun_llm_train_3070ti.sqlite', async (app) => {
      await expectAllTabs(app);
      const verdict = app.page.getByRole('region', { name: 'Verdict' });
      const said = await verdict.innerText();
      expect(said).toMatch(/^The GPU has nothing to do for 35\.2\s% of the time/);
      expect(said).toMatch(/Strongest evidence, no proof\s+22\.3\s% while the loop was in other/);
      expect(said).toContain('stalltrace capture HOST');
      expect(said).not.toContain('CUDA graph');
      expect(await reportOf(app)).not.toContain('CUDA graph');
    }));

  test('Ingero: sums and samples are told as that, on every tab', () =>
    withTrace('ingero/dataloader_starvation.db', async (app) => {
      await expectAllTabs(app);
      await app.page.getByText('Strongest evidence, no proof').waitFor();
      expect(await app.page.getByText(LINE).count()).toBe(0);
      expect(await reportOf(app)).toContain('22 of 40 samples');
    }));
});
