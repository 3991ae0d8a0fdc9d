import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { dropPath } from '../support/page/drop-path.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

describeWith(['chromium', 'sharedData'], 'a folder of traces that is dropped on the window', () => {
  let app: AppPage;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-dropped-'));
    mkdirSync(join(folder, 'ranks', 'more'), { recursive: true });
    const copy = (from: string, to: string) =>
      copyFileSync(join(sharedData, 'kineto', from), join(folder, 'ranks', to));
    copy('hta_rank0of128.json.gz', 'rank0.json.gz');
    copy('hta_rank1of128.json.gz', 'more/rank1.json.gz');
    copy('hta_rank1of128.json.gz', '.rank1.json.gz');
    writeFileSync(join(folder, 'ranks', 'train.log'), 'step 1: loss 0.7');
    mkdirSync(join(folder, 'runs'));
    for (const name of ['nw0_1623143089861', 'nw4_1623212756351'])
      copy(`kineto_resnet50_${name}.pt.trace.json.gz`, `../runs/${name.slice(0, 3)}.json.gz`);
    mkdirSync(join(folder, 'logs'));
    writeFileSync(join(folder, 'logs', 'train.log'), 'step 1: loss 0.7');
    app = await openAppPage();
    await app.page.getByRole('row', { name: /Sample/ }).waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('without a trace says so in one sentence', async () => {
    await dropPath(app.page, join(folder, 'logs'));
    await app.page
      .getByText('The folder “logs” has no trace that can be opened: train.log.')
      .first()
      .waitFor();
  });

  test('is added, and opened as one run where somebody says that it is one', async () => {
    await dropPath(app.page, join(folder, 'ranks'));
    await app.page
      .getByText(
        '2 files added to the library; left out as no trace: train.log; left out as hidden (a name that begins with a dot): .rank1.json.gz.',
      )
      .first()
      .waitFor();
    for (const name of [/^rank0/, /^rank1/]) await app.page.getByRole('row', { name }).waitFor();
    await app.page.getByRole('button', { name: 'Open as one run' }).click();
    await app.page.getByText('host of rank 0').first().waitFor({ state: 'attached' });
    app.expectNoComplaints();
  });

  test('is compared with the open trace where it is dropped on the right half', async () => {
    await app.page.getByRole('button', { name: 'Library' }).first().click();
    await app.page
      .getByRole('row', { name: /Sample/ })
      .getByRole('button')
      .first()
      .click();
    await app.page.getByRole('region', { name: 'Verdict' }).waitFor();
    await dropPath(app.page, join(folder, 'runs'), 1200);
    const dialog = app.page.getByRole('dialog', { name: '3 runs compared' });
    for (const name of [/^Sample/, /^nw0/, /^nw4/])
      await dialog.getByRole('row', { name }).waitFor();
    const first = dialog.getByLabel('Compared with').locator('option:checked');
    expect(await first.textContent()).toMatch(/^\s*Sample/);
    app.expectNoComplaints();
  });
});
