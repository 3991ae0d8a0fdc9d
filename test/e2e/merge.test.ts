import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousFindings } from '../support/page/axe.ts';
import { type OpenedFiles, openFiles } from '../support/page/opened-files.ts';
import { describeWith } from '../support/requirements.ts';

/** Two ranks of one job, and a profile of another one. */
const FILES = {
  'rank0.json.gz': 'kineto/hta_rank0of128.json.gz',
  'rank1.json.gz': 'kineto/hta_rank1of128.json.gz',
  'nw0.json.gz': 'kineto/kineto_resnet50_nw0_1623143089861.pt.trace.json.gz',
} as const;

describeWith(['chromium', 'sharedData'], 'ranks that were recorded by themselves', () => {
  let app: OpenedFiles;

  async function openAsOne(one: RegExp, other: RegExp) {
    await app.pick(one);
    await app.pick(other, ['Control']);
    await app.row(other).click({ button: 'right', position: { x: 600, y: 10 } });
    await app.page.getByRole('menuitem', { name: /^Open 2 as one run/ }).click();
  }

  beforeAll(async () => {
    app = await openFiles(FILES);
  });
  afterAll(() => app.close());

  test('of other times are no one run: why is said, and nothing is added', async () => {
    await openAsOne(/rank0/, /nw0/);
    const failure = app.page.getByRole('alert').getByText('compare them instead');
    await failure.first().waitFor();
    expect(await app.row(/ \+ /).count()).toBe(0);
  });

  test('are opened as one, which the library keeps', async () => {
    await openAsOne(/rank0/, /rank1/);
    // It may be folded.
    await app.page.getByText('host of rank 0').first().waitFor({ state: 'attached' });
    // The picture of the Overview is of one of them, which can be chosen.
    const shown = app.page
      .getByRole('region', { name: 'Steps', exact: true })
      .getByRole('combobox');
    await shown.waitFor();
    const [first = '', second = ''] = await shown.locator('option').allTextContents();
    expect([first, second].join()).toMatch(/rank 0.*rank 1/);
    for (const label of [first, second]) {
      await shown.selectOption({ label });
      await expect.poll(() => shown.locator('option:checked').textContent()).toBe(label);
    }
    await app.page.getByRole('tab', { name: 'Recording' }).click();
    await app.page.getByText(/host of rank 1: ± /).waitFor();
    await app.page.getByText(/right to ± .*, as 2 equally numbered steps ended/).waitFor();
    expect(await seriousFindings(app.page)).toEqual([]);
    await app.page.getByRole('button', { name: 'Library' }).first().click();
    await app.row(/rank0\.json \+ rank1\.json/).waitFor();
    app.expectNoComplaints();
  });
});
