import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** An account of this machine, for one test; root makes it and removes it. */
export interface SshUser {
  readonly name: string;
  readonly password: string;
  readonly uid: number;
  readonly home: string;
  /** Base32, where `oneTimeCodes` was asked for: `oathtool --totp -b SECRET`. */
  readonly totpSecret: string | undefined;
  /** Lets whoever has the private key sign in. */
  authorise(publicKey: string): void;
  /** Writes a file of the user's, below the home. */
  write(path: string, text: string, mode?: number): void;
  /** Ends what the user runs, and removes the account with its home. */
  remove(): Promise<void>;
}

export interface SshUserOptions {
  /** Absolute path. */
  readonly shell?: string;
  /** What sudo lets the user do: nothing, all with the password, or all. */
  readonly sudo?: 'none' | 'password' | 'free';
  readonly oneTimeCodes?: boolean;
}

const HOMES = '/var/tmp/stalltrace-test-homes';
let made = 0;

export async function createSshUser({
  shell = '/bin/bash',
  sudo = 'none',
  oneTimeCodes = false,
}: SshUserOptions = {}): Promise<SshUser> {
  const name = `st${process.pid.toString(36)}x${made++}`;
  const password = randomBytes(12).toString('hex');
  const home = join(HOMES, name);
  mkdirSync(HOMES, { recursive: true });
  // Two runs of the tests at once wait for the lock of /etc/passwd.
  await retried(() =>
    execFileSync('useradd', ['--create-home', '--home-dir', home, '--shell', shell, name], {
      stdio: 'pipe',
    }),
  );
  await retried(() => execFileSync('chpasswd', { input: `${name}:${password}\n`, stdio: 'pipe' }));
  const uid = Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }));
  const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8' }));
  const sudoersFile = `/etc/sudoers.d/${name}`;
  const sudoService = `/etc/pam.d/${name}-sudo`;
  if (sudo !== 'none') {
    const tag = sudo === 'free' ? 'NOPASSWD: ' : '';
    // Without PAM's two seconds after a wrong password, which nothing depends on.
    const service = ['auth required pam_unix.so nodelay', 'account required pam_unix.so'];
    writeFileSync(sudoService, `${[...service, 'session required pam_permit.so'].join('\n')}\n`);
    const lines = [`Defaults:${name} pam_service=${name}-sudo`, `${name} ALL=(ALL:ALL) ${tag}ALL`];
    writeFileSync(sudoersFile, `${lines.join('\n')}\n`, { mode: 0o440 });
  }
  function write(path: string, text: string, mode = 0o600): void {
    const parts = path.split('/').slice(0, -1);
    parts.reduce((folder, part) => {
      const inner = join(folder, part);
      mkdirSync(inner, { recursive: true, mode: 0o700 });
      chownSync(inner, uid, gid);
      return inner;
    }, home);
    const file = join(home, path);
    writeFileSync(file, text);
    chownSync(file, uid, gid);
    chmodSync(file, mode);
  }
  const totpSecret = oneTimeCodes ? 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' : undefined;
  if (totpSecret !== undefined)
    write('.google_authenticator', `${totpSecret}\n" TOTP_AUTH\n" WINDOW_SIZE 17\n`, 0o400);
  return {
    name,
    password,
    uid,
    home,
    totpSecret,
    write,
    authorise: (publicKey) => write('.ssh/authorized_keys', `${publicKey.trim()}\n`),
    async remove() {
      rmSync(sudoersFile, { force: true });
      rmSync(sudoService, { force: true });
      try {
        execFileSync('pkill', ['-KILL', '-u', String(uid)], { stdio: 'pipe' });
      } catch {
        // Nothing of the user's runs.
      }
      await retried(() => execFileSync('userdel', ['--force', name], { stdio: 'pipe' }));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function retried(action: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      action();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await setTimeout(100);
    }
  }
}
