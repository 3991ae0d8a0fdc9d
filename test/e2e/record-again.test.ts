import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildStandIn, cudart } from '../support/agent/agent-run.ts';
import { dataLoaderScript } from '../support/agent/dataloader-job.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openSshApp, type SshApp } from '../support/page/ssh-app.ts';
import { describeWith } from '../support/requirements.ts';

/** A job is slow for a known reason. What is found is mended in its file; it is recorded again from the finding, and compared. */

const LIVE_MS = 90_000;
const COMMAND = '/usr/bin/python3 train.py';
/** The simulated GPU takes 50 µs for a kernel. */
const ENVIRONMENT = 'STALLTRACE_STAND_IN_KERNEL_US=50';

/** The user's training script. */
function trainingScript(workers: number): string {
  const options =
    `--library ${cudart} --report /dev/null --workers ${workers} --persistent --epochs 2 ` +
    '--batch 16 --items 640 --features 1024 --item-sleep-us 4000';
  return [
    'import runpy, sys',
    `sys.argv = [sys.argv[0]] + ${JSON.stringify(options)}.split()`,
    `runpy.run_path(${JSON.stringify(dataLoaderScript)}, run_name="__main__")`,
    '',
  ].join('\n');
}

describeWith(
  ['chromium', 'sshServer', 'agent', 'bpf', 'torch', 'reachable'],
  'a finding that is mended and recorded again',
  () => {
    let app: SshApp;
    let page: Page;
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
    const card = () => page.locator('details[data-finding="workers-zero"]');

    beforeAll(async () => {
      buildStandIn();
      app = await openSshApp({ sudo: 'free' }, { hasKey: true });
      app.user.write('train.py', trainingScript(0));
      page = app.page;
    });
    afterAll(() => app?.close());

    test('the job is recorded over SSH, and its cause is found', async () => {
      await app.pasteHost();
      await app.meetHost();
      await app.trustHost();
      await page.getByRole('heading', { name: 'Will be seen' }).waitFor({ timeout: LIVE_MS });
      await button('Next: what to capture').click();
      await page.getByLabel('Command', { exact: true }).fill(COMMAND);
      await page.getByLabel(/^Environment/).fill(ENVIRONMENT);
      await button('Start the capture').click();
      await button(/^Bring/).click({ timeout: LIVE_MS });
      await page
        .getByRole('tab', { name: 'Timeline', selected: true })
        .waitFor({ timeout: LIVE_MS });
      await page.getByRole('tab', { name: 'Overview' }).click();
      await card().waitFor({ timeout: LIVE_MS });
    });

    test('“Record again…” fills in all that began the job, and says what to change', async () => {
      await card().getByRole('button', { name: 'Record again…' }).click();
      const told = page.getByText(/^The job is recorded again, then compared with/);
      await told.waitFor();
      expect(await told.innerText()).toMatch(/Make the change first: Set num_workers=\d\.$/);
      expect(await page.getByLabel('Command', { exact: true }).inputValue()).toBe(COMMAND);
      expect(await page.getByLabel(/^Environment/).inputValue()).toBe(ENVIRONMENT);
      expect(await seriousFindings(page)).toEqual([]);
    });

    test('the mended job is compared with the slow one: it is faster, and the cause is gone', async () => {
      app.user.write('train.py', trainingScript(4));
      await button('Start the capture').click();
      await button(/^Bring/).click({ timeout: LIVE_MS });
      const compared = dialog('Two runs compared');
      await compared.getByText(/^Faster\. A mean step takes /).waitFor({ timeout: LIVE_MS });
      const runs = await Promise.all(
        ['First', 'Second'].map((which) =>
          compared.getByLabel(`${which} run`).locator('option:checked').innerText(),
        ),
      );
      expect(new Set(runs).size).toBe(2);
      const row = compared.getByRole('row', {
        name: /^The training process loads the data itself/,
      });
      expect(await row.innerText()).toContain('gone');
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await compared.waitFor({ state: 'detached' });
      app.expectNoComplaints();
    });
  },
);
