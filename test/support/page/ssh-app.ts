import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSshKey, type SshHost, startSshHost } from '../remote/ssh-host.ts';
import { createSshUser, type SshUser, type SshUserOptions } from '../remote/ssh-user.ts';
import { type AppPage, openAppPage } from './app-page.ts';

/** The app beside an SSH server of its own, and whom it signs in as there. */
export interface SshApp extends AppPage {
  readonly server: SshHost;
  readonly user: SshUser;
  /** On the first step of a capture. */
  pasteHost(): Promise<void>;
  /** Goes on from there, to a host that nobody knows yet. */
  meetHost(): Promise<void>;
  trustHost(): Promise<void>;
}

/** The user of the app has a home with a key in it that leads to the host, or one without, and no agent for keys. */
export async function openSshApp(
  userOptions: SshUserOptions,
  { hasKey }: { readonly hasKey: boolean },
): Promise<SshApp> {
  const home = mkdtempSync(join(tmpdir(), 'stalltrace-home-'));
  const server = await startSshHost();
  const user = await createSshUser(userOptions);
  if (hasKey) {
    mkdirSync(join(home, '.ssh'), { mode: 0o700 });
    user.authorise(createSshKey(join(home, '.ssh/id_ed25519')).publicKey);
  }
  const app = await openAppPage({ environment: { HOME: home, SSH_AUTH_SOCK: '' } });
  const { page } = app;
  return {
    ...app,
    ...{ server, user },
    async pasteHost() {
      await page.getByRole('row', { name: /Sample/ }).waitFor();
      await page.keyboard.press('Alt+KeyC');
      await page
        .getByLabel('Paste an ssh command')
        .fill(`ssh -p ${server.port} ${user.name}@127.0.0.1`);
      await page.getByText(`Understood: ${user.name} at 127.0.0.1, port ${server.port}.`).waitFor();
    },
    async meetHost() {
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Is this the host you mean?' }).waitFor();
    },
    trustHost: () => page.getByRole('button', { name: 'Trust', exact: true }).click(),
    async close() {
      await app.close();
      await user.remove();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
