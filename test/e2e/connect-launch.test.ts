import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildStandIn, standIn } from '../support/agent/agent-run.ts';
import { startNotebook } from '../support/agent/notebook.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { openSshApp, type SshApp } from '../support/page/ssh-app.ts';
import { describeWith } from '../support/requirements.ts';

/** On a host that gives no rights, as a rented container: the job is launched from the app, or a line pasted into it, and recorded exactly. */

const LIVE_MS = 60_000;

describeWith(['chromium', 'sshServer', 'agent'], 'a job launched on a host without rights', () => {
  let app: SshApp;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const inHome = (name: string) => join(app.user.home, name);

  beforeAll(async () => {
    buildStandIn();
    app = await openSshApp({ sudo: 'none' }, { hasKey: false });
    mkdirSync(inHome('job'), { mode: 0o755 });
    for (const name of ['trouble', 'libcudart.so.12', 'libcupti.so.12'])
      copyFileSync(standIn(name), inHome(`job/${name}`));
    page = app.page;
  });
  afterAll(() => app?.close());

  test('the check says that a launched command is recorded exactly, and what is missing', async () => {
    await app.pasteHost();
    await app.meetHost();
    await app.trustHost();
    const password = dialog('Password').getByLabel(/The password for/);
    await password.fill(app.user.password);
    await password.press('Enter');
    // sudo asks everybody, and then says that it is not for this user.
    await dialog('Password for sudo')
      .locator('input')
      .fill(app.user.password, { timeout: LIVE_MS });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor({ timeout: LIVE_MS });
    await page.getByText(/a command launched from here is recorded exactly/).waitFor();
    await page.getByText(/^What the GPU did: each kernel, copy and fill/).waitFor();
    await page.getByText(/no cause can be claimed/).waitFor();
    const way = page.getByRole('row', { name: /From inside the job/ });
    expect(await way.innerText()).toContain('Ok');
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('launching is what is offered, with folder, environment and what is recorded', async () => {
    await button('Next: what to capture').click();
    expect(await page.getByRole('radio', { name: /A command to start/ }).isChecked()).toBe(true);
    await page
      .getByLabel('Command', { exact: true })
      .fill('echo $WORD > ~/said; ./trouble until end');
    await page.getByLabel('Folder on the host').fill('~/job');
    const environment = page.getByLabel(/^Environment/);
    await environment.fill('export WORD=x');
    await page.getByText('Each line of the environment is NAME=value').waitFor();
    await environment.fill(`WORD=two words\nLD_LIBRARY_PATH=${inHome('job')}`);
    await page.getByLabel('From inside the job').selectOption('copies');
    await page.getByText(/Each CUDA call costs the job about/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Start the capture').click();
    const calls = page.getByRole('rowheader', { name: 'cudaMemcpyAsync' });
    await calls.first().waitFor({ timeout: LIVE_MS });
    expect(readFileSync(inHome('said'), 'utf8')).toBe('two words\n');
    expect(await page.getByText(/from inside, without eBPF/).count()).toBeGreaterThan(0);
  });

  test('once it has ended it comes back, with each call and the GPU’s copies', async () => {
    writeFileSync(inHome('job/end'), '');
    await button(/^Bring/).click({ timeout: LIVE_MS });
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor({ timeout: LIVE_MS });
    await expect
      .poll(() => page.getByRole('complementary').first().innerText(), { timeout: LIVE_MS })
      .toContain('cudaMemcpy');
    expect(existsSync(inHome('.cache'))).toBe(false);
  });

  test('it is recorded again from the library, as before, and compared with that', async () => {
    rmSync(inHome('job/end'));
    await page.getByRole('button', { name: 'Library' }).first().click();
    const before = page.getByRole('row', { name: /^127\.0\.0\.1: / });
    await before.click({ button: 'right', position: { x: 600, y: 10 } });
    await page.getByRole('menuitem', { name: /^Record again…/ }).click();
    // Still connected: at once to what is captured, which is filled in.
    await page
      .getByText(/^The job is recorded again, then compared with “127\.0\.0\.1: /)
      .waitFor();
    expect(await page.getByLabel('Command', { exact: true }).inputValue()).toContain('./trouble');
    expect(await page.getByLabel(/^Environment/).inputValue()).toContain('WORD=two words');
    expect(await page.getByLabel('From inside the job').inputValue()).toBe('copies');
    expect(await seriousFindings(page)).toEqual([]);
    await button('Start the capture').click();
    await dialog('Password for sudo')
      .locator('input')
      .fill(app.user.password, { timeout: LIVE_MS });
    await page.keyboard.press('Enter');
    const calls = page.getByRole('rowheader', { name: 'cudaMemcpyAsync' });
    await calls.first().waitFor({ timeout: LIVE_MS });
    writeFileSync(inHome('job/end'), '');
    await button(/^Bring/).click({ timeout: LIVE_MS });
    const compared = dialog('Two runs compared');
    await compared.waitFor({ timeout: LIVE_MS });
    for (const which of ['First', 'Second'])
      expect(
        await compared.getByLabel(`${which} run`).locator('option:checked').textContent(),
      ).toMatch(/^\s*127\.0\.0\.1: /);
    const copy = compared.getByRole('button', { name: 'Copy as Markdown' });
    await expect.poll(() => copy.isEnabled(), { timeout: LIVE_MS }).toBe(true);
    await page.keyboard.press('Escape');
    await compared.waitFor({ state: 'detached' });
  });

  test('a job that runs comes in by the line that is shown', async () => {
    const notebook = await startNotebook({
      through: ['/usr/sbin/runuser', '-u', app.user.name, '--', 'setpriv', '--pdeathsig', 'KILL'],
    });
    const pid = await notebook.run('import os; print(os.getpid())');
    // Still connected: at once to what is captured.
    await page.keyboard.press('Alt+KeyC');
    await page.getByRole('radio', { name: /A job that runs/ }).check();
    await dialog('Password for sudo')
      .locator('input')
      .fill(app.user.password, { timeout: LIVE_MS });
    await page.keyboard.press('Enter');
    await page.getByLabel('Filter processes').fill('notebook.py');
    await page.getByRole('checkbox', { name: new RegExp(`pid ${pid},`) }).check();
    await page.getByText(/a line is shown for you to paste into the job/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Start the capture').click();
    await page.getByText('Nothing has come in yet.').waitFor({ timeout: LIVE_MS });
    expect(await seriousFindings(page)).toEqual([]);
    const line = await page.getByText(/^import ctypes; /).innerText();
    expect(await notebook.run(line)).toMatch(/^Recorded by Stalltrace/);
    await notebook.run('calls 5');
    await page.getByText('1 process is recorded from inside now.').waitFor({ timeout: LIVE_MS });
    const calls = page.getByRole('rowheader', { name: 'cudaMemcpy' });
    await calls.first().waitFor({ timeout: LIVE_MS });
    app.expectNoComplaints();
  });
});
