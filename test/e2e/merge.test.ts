import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** Two ranks of one job, and a profile of another one. */
const FILES = {
  'rank0.json.gz': 'kineto/hta_rank0of128.json.gz',
  'rank1.json.gz': 'kineto/hta_rank1of128.json.gz',
  'nw0.json.gz': 'kineto/kineto_resnet50_nw0_1623143089861.pt.trace.json.gz',
} as const;

describeWith(['chromium', 'sharedData'], 'ranks that were recorded by themselves', () => {
  let app: AppPage;
  let folder: string;
  const row = (name: string | RegExp) => app.page.getByRole('row', { name });
  /** Beside its name, which would open it. */
  const pick = (name: RegExp, modifiers: 'Control'[] = []) =>
    row(name).click({ position: { x: 600, y: 10 }, modifiers });

  async function openAsOne(one: RegExp, other: RegExp) {
    await pick(one);
    await pick(other, ['Control']);
    await row(other).click({ button: 'right', position: { x: 600, y: 10 } });
    await app.page.getByRole('menuitem', { name: /^Open 2 as one run/ }).click();
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-merge-'));
    const paths = Object.entries(FILES).map(([name, from]) => {
      copyFileSync(join(sharedData, from), join(folder, name));
      return join(folder, name);
    });
    app = await openAppPage({ args: ['--root', folder] });
    await row('Sample').waitFor();
    const chooser = app.page.waitForEvent('filechooser');
    await app.page.getByRole('button', { name: 'Open files…' }).click();
    await (await chooser).setFiles(paths);
    for (const name of [/rank0/, /rank1/, /nw0/]) await row(name).waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('of other times are no one run: why is said, and nothing is added', async () => {
    await openAsOne(/rank0/, /nw0/);
    const failure = app.page.getByRole('alert').getByText('compare them instead');
    await failure.first().waitFor();
    expect(await row(/ \+ /).count()).toBe(0);
  });

  test('are opened as one, which the library keeps', async () => {
    await openAsOne(/rank0/, /rank1/);
    await app.page.getByText('host of rank 0').first().waitFor();
    await app.page.getByRole('tab', { name: 'Recording' }).click();
    await app.page.getByText(/host of rank 1: ± /).waitFor();
    await app.page.getByText(/right to ± .*, as 2 steps of one number ended/).waitFor();
    expect(await seriousFindings(app.page)).toEqual([]);
    await app.page.getByRole('button', { name: 'Library' }).first().click();
    await row(/rank0\.json \+ rank1\.json/).waitFor();
    app.expectNoComplaints();
  });
});
