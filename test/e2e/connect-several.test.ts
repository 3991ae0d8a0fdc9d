import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildStandIn, standIn } from '../support/agent/agent-run.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** A job on two hosts (two SSH servers and users of this machine), from one press to one investigation. */

const LIVE_MS = 60_000;

describeWith(['chromium', 'sshServer', 'agent'], 'a job on two hosts', () => {
  let folder: string;
  let app: AppPage;
  let page: Page;
  const hosts: { readonly ssh: SshHost; readonly user: SshUser }[] = [];
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const lineOf = (host: number) => `ssh -p ${hosts[host]?.ssh.port} ${nameOf(host)}@127.0.0.1`;
  const nameOf = (host: number) => hosts[host]?.user.name ?? '';

  beforeAll(async () => {
    buildStandIn();
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-several-'));
    for (let host = 0; host < 2; host++) {
      const user = await createSshUser({ sudo: 'free' });
      hosts.push({ ssh: await startSshHost(), user });
      mkdirSync(join(user.home, 'job'), { mode: 0o755 });
      for (const name of ['trouble', 'libcudart.so.12', 'libcupti.so.12'])
        copyFileSync(standIn(name), join(user.home, 'job', name));
    }
    app = await openAppPage({ environment: { HOME: folder, SSH_AUTH_SOCK: '' } });
    page = app.page;
  });
  afterAll(async () => {
    await app?.close();
    for (const { ssh, user } of hosts) {
      await user.remove();
      await ssh.stop();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function signIn(host: number) {
    await dialog('Is this the host you mean?').getByText(String(hosts[host]?.ssh.port)).waitFor();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    const password = dialog('Password').getByLabel(/The password for/);
    await password.fill(hosts[host]?.user.password ?? '');
    await password.press('Enter');
  }

  test('the second host is added by its ssh command, signed in to and looked at', async () => {
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    await page.keyboard.press('Alt+KeyC');
    await page.getByLabel('Paste an ssh command').fill(lineOf(0));
    await page.getByText(/^Understood: /).waitFor();
    await page.keyboard.press('Enter');
    await signIn(0);
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor({ timeout: LIVE_MS });
    await button('Next: what to capture').click();
    await page
      .getByLabel('Command', { exact: true })
      .fill('cd job; LD_LIBRARY_PATH=. ./trouble until end');
    await page.getByLabel(/^Another host/).fill(lineOf(1));
    await page.keyboard.press('Enter');
    await signIn(1);
    await page.getByText(/^ready/).waitFor({ timeout: LIVE_MS });
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('one press starts both; once they have ended they come back as one investigation', async () => {
    await button('Start on 2 hosts').click();
    const group = page.getByRole('region', { name: 'One run on 2 hosts' });
    await group.waitFor({ timeout: LIVE_MS });
    await expect.poll(() => group.getByText(/\d events/).count(), { timeout: LIVE_MS }).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
    for (const { user } of hosts) writeFileSync(join(user.home, 'job/end'), '');
    await group.getByRole('button', { name: 'Bring all back' }).click({ timeout: LIVE_MS });
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor({ timeout: LIVE_MS });
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await expect.poll(() => page.getByRole('row', { name: /CUDA calls/ }).count()).toBe(2);
    await page.getByRole('button', { name: 'Library' }).first().click();
    await expect.poll(() => page.getByRole('row', { name: /^127\.0\.0\.1/ }).count()).toBe(3);
  });

  test('the next capture is offered on the same hosts', async () => {
    await page.keyboard.press('Alt+KeyC');
    await button('Start on 2 hosts').waitFor();
    await button('Leave out 127.0.0.1').click();
    await button('Start the capture').waitFor();
    app.expectNoComplaints();
  });
});
