import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildStandIn, cudart } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openSshApp, type SshApp } from '../support/page/ssh-app.ts';
import { describeWith } from '../support/requirements.ts';

/** From choosing a real host to the report on what was captured there, as a user does it. */

const script = join(root, 'test/agent/jobs/dataloader.py');
const LIVE_MS = 60_000;

/** A DataLoader job that goes on until it is ended. */
function startJob(): ChildProcess {
  const options =
    '--workers 2 --persistent --epochs 100000 --features 16384 --batch 96 --items 960'.split(' ');
  const args = [script, '--library', cudart, '--report', '/dev/null', ...options];
  return spawn('/usr/bin/python3', args, { stdio: 'ignore' });
}

describeWith(
  ['chromium', 'sshServer', 'agent', 'bpf', 'torch'],
  'a capture on a host, from the first connection to the report',
  () => {
    let job: ChildProcess;
    let app: SshApp;
    let page: Page;
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });

    beforeAll(async () => {
      buildStandIn();
      app = await openSshApp({ sudo: 'password' }, { hasKey: false });
      job = startJob();
      page = app.page;
    });
    afterAll(async () => {
      await app?.close();
      job?.kill('SIGKILL');
    });

    test('a pasted line is understood, and an unknown host shows its fingerprint', async () => {
      await app.pasteHost();
      expect(await seriousFindings(page)).toEqual([]);
      await app.meetHost();
      const shown = (await dialog('Is this the host you mean?').innerText()).replace(/\s/g, '');
      const keys = [...app.server.hostKeys.values()].map(({ fingerprint }) => fingerprint);
      expect(keys.some((fingerprint) => shown.includes(fingerprint))).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await app.trustHost();
    });

    test('a wrong password is said to be one, the right one signs in', async () => {
      const box = dialog('Password').getByLabel(/The password for/);
      await box.fill('not this one');
      await box.press('Enter');
      await page.getByText('That password was not taken.').waitFor();
      expect(await box.inputValue()).toBe('');
      await box.fill(app.user.password);
      await box.press('Enter');
    });

    test('the check asks for sudo’s password and says what can be seen', async () => {
      const box = dialog('Password for sudo').getByRole('textbox');
      await dialog('Password for sudo').waitFor({ timeout: LIVE_MS });
      await dialog('Password for sudo').locator('input').fill(app.user.password);
      await page.keyboard.press('Enter');
      await box.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Will be seen' }).waitFor({ timeout: LIVE_MS });
      await expect.poll(() => page.getByText(/Rights: root by sudo/).count()).toBe(1);
      expect(await page.getByRole('cell', { name: 'Ok', exact: true }).count()).toBeGreaterThan(3);
      expect(await seriousFindings(page)).toEqual([]);
    });

    test('the job is in the list with its workers, and is recorded with them', async () => {
      await button('Next: what to capture').click();
      await page.getByRole('radio', { name: /A job that runs/ }).check();
      await page.getByLabel('Filter processes').fill('dataloader.py');
      const own = page.getByRole('checkbox', { name: new RegExp(`pid ${job.pid},`) });
      await own.waitFor({ timeout: LIVE_MS });
      await own.check();
      await expect
        .poll(() => page.getByRole('row', { name: /DataLoader worker/ }).count(), {
          timeout: LIVE_MS,
        })
        .toBeGreaterThanOrEqual(2);
      await page.getByText(/Expected cost/).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await button('Start the capture').click();
      await page
        .getByRole('heading', { name: 'Slowest CUDA calls so far' })
        .waitFor({ timeout: LIVE_MS });
    });

    test('while it records, the slowest copies are told, and a reload takes it up again', async () => {
      const calls = page.getByRole('rowheader', { name: 'cudaMemcpyAsync' });
      await calls.first().waitFor({ timeout: LIVE_MS });
      await page.getByText('0 events lost.').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.reload();
      await calls.first().waitFor({ timeout: LIVE_MS });
      expect(new URL(page.url()).hash).toMatch(/^#capture=[0-9a-f]+$/);
      await button('Leave it running').click();
      await page
        .getByRole('region', { name: 'Captures on hosts' })
        .getByText(/1 capture records/)
        .waitFor();
      await button('Watch').click();
    });

    test('stopped, it comes back, and the timeline opens on its slowest copy', async () => {
      await button('Stop and bring back').click();
      await page
        .getByRole('tab', { name: 'Timeline', selected: true })
        .waitFor({ timeout: LIVE_MS });
      const panel = page.getByRole('complementary');
      await expect
        .poll(() => panel.first().innerText(), { timeout: LIVE_MS })
        .toContain('cudaMemcpyAsync');
      await page
        .getByText(/freed on .*nothing left there\./)
        .first()
        .waitFor();
      expect(
        existsSync(join(app.user.home, '.cache'))
          ? readdirSync(join(app.user.home, '.cache')).filter((name) =>
              name.startsWith('stalltrace'),
            )
          : [],
      ).toEqual([]);
      expect(job.exitCode).toBeNull();
    });

    test('a report on it is saved', async () => {
      await page.keyboard.press('ControlOrMeta+KeyE');
      await page.getByRole('heading', { name: /Why slow: cudaMemcpyAsync/ }).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        button('Save as .md').click(),
      ]);
      expect(readFileSync(await download.path(), 'utf8')).toContain('cudaMemcpyAsync');
    });

    test('the library shows what was found in it', async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /Library/ }).click();
      const row = page.getByRole('row', { name: /dataloader\.py/ });
      const badge = row.getByTitle(/^Found by the analysis: /);
      expect(await badge.innerText()).toMatch(/^(\S+-BOUND|BALANCED)$/);
      expect(await seriousFindings(page)).toEqual([]);
    });

    test('nothing of the password is left in the window or in the data folder', async () => {
      const kept = await page.evaluate(
        'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }])',
      );
      expect(kept).not.toContain(app.user.password);
      expect(app.host.log()).not.toContain(app.user.password);
      const files = readdirSync(app.host.dataFolder, { recursive: true, withFileTypes: true });
      for (const file of files.filter((entry) => entry.isFile()))
        expect(readFileSync(join(file.parentPath, file.name)).includes(app.user.password)).toBe(
          false,
        );
      app.expectNoComplaints();
    });
  },
);
