import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith } from '../support/requirements.ts';

const sample = 'resources/sample/dataloader-starvation.trace.db';

/** The Processes tab on the captured sample: two epochs of four workers each. */
describeWith(['chromium'], 'the processes of a trace', () => {
  let app: AppPage;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-processes-'));
    copyFileSync(join(root, sample), join(folder, 'run.db'));
    app = await openAppPage({ args: ['--root', folder], width: 1600, height: 900 });
    await app.page.getByLabel('Path on the machine').fill(join(folder, 'run.db'));
    await app.page.keyboard.press('Enter');
    await tab('Processes').click();
    await row(29340).waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tab = (name: string) => app.page.getByRole('tab', { name });
  const table = () => app.page.getByRole('table', { name: 'What each process and thread did' });
  const row = (id: number) =>
    table()
      .getByRole('row')
      .filter({ hasText: String(id) })
      .first();
  const role = (pid: number) => app.page.getByRole('button', { name: `Role of pid ${pid}` });

  test('stand below who started them, workers in order of birth, with their figures', async () => {
    const names = await table().locator('td.name').allInnerTexts();
    expect(names.map((name) => name.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringContaining('Training process'),
      ...[0, 1, 2, 3, 0, 1, 2, 3].map((worker) =>
        expect.stringContaining(`DataLoader worker ${worker} of pid 29340`),
      ),
    ]);
    const heads = await table().getByRole('columnheader').allInnerTexts();
    for (const head of ['Waiting for a CPU', 'Switches', 'Preemptions', 'Longest stall'])
      expect(heads.join('|')).toContain(head);
    await expect.poll(() => row(29340).innerText()).toContain('705');
    expect(await seriousFindings(app.page)).toEqual([]);
  });

  test('open to their threads, feeders and sharers told apart', async () => {
    await app.page.getByRole('button', { name: 'Threads of pid 29342' }).click();
    await expect.poll(() => row(29351).innerText()).toContain('Queue feeder');
    await expect.poll(() => row(29352).innerText()).toContain('Resource sharer');
    await app.page.getByRole('button', { name: 'Threads of pid 29342' }).click();
  });

  test('are sorted by a figure, the most first', async () => {
    await table().getByRole('button', { name: 'Switches' }).click();
    const head = table().getByRole('columnheader', { name: 'Switches' });
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
    const at = (await table().getByRole('columnheader').allInnerTexts()).findIndex((text) =>
      text.includes('Switches'),
    );
    const cells = await table()
      .locator(`tbody tr td:nth-child(${at + 1})`)
      .allInnerTexts();
    const counts = cells.map((text) => Number(text.replaceAll(',', '')));
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts[0]).toBeGreaterThan(0);
    await table().getByRole('button', { name: 'Process', exact: true }).click();
  });

  test('fold strangers away until they are asked for', async () => {
    expect(await row(29338).count()).toBe(0);
    await app.page.getByRole('button', { name: 'Show them' }).click();
    await row(29338).waitFor();
    await app.page.getByRole('button', { name: 'Leave them out' }).click();
    await row(29338).waitFor({ state: 'detached' });
  });

  test('take another role from the user, keep it, and give it back', async () => {
    await role(29345).click();
    await app.page.getByRole('menuitem', { name: 'Other' }).click();
    await expect.poll(() => row(29345).innerText()).toContain('set by you');
    // The next worker of that epoch is not renumbered before it: it was the last one.
    await expect.poll(() => row(29345).innerText()).not.toContain('DataLoader worker');
    await app.page.reload();
    await tab('Processes').click();
    await expect.poll(() => row(29345).innerText()).toContain('set by you');
    await role(29345).click();
    await app.page.getByRole('menuitem', { name: /^As recognised/ }).click();
    await expect.poll(() => row(29345).innerText()).toContain('DataLoader worker 3');
  });

  test('lead from the longest stall to the timeline', async () => {
    await row(29342).getByTitle('Show it on the timeline').click();
    await expect.poll(() => tab('Timeline').getAttribute('aria-selected')).toBe('true');
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await expect.poll(() => panel.innerText()).toContain('29342');
  });

  test('are counted over the selected range, where there is one', async () => {
    // The stall that is selected becomes the range.
    await app.page.keyboard.press('KeyR');
    await tab('Processes').click();
    await app.page.getByText(/Of the selected range/).waitFor();
    await expect.poll(() => row(29340).innerText()).not.toContain('705');
    await app.page.getByRole('button', { name: 'The whole trace' }).click();
    await expect.poll(() => row(29340).innerText()).toContain('705');
  });

  test('nothing went wrong unseen', () => app.expectNoComplaints());
});
