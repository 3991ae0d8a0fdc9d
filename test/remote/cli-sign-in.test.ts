import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type CliHost, type CliHostOptions, startCliHost } from '../support/remote/cli-host.ts';
import { createSshKey } from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

/** The command line signs in to a real SSH server: what it asks, and what it says where it can't ask. */

let cli: CliHost | undefined;

afterEach(async () => {
  await cli?.remove();
  cli = undefined;
});

async function withHost(options: CliHostOptions = {}): Promise<CliHost> {
  cli = await startCliHost(options);
  return cli;
}

const SIGNED_IN = /Signed in to \S+ with /;

/** Every file below `folder` as text. */
function textBelow(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describeWith(['sshServer'], 'signing in without a terminal', () => {
  test('a known host and a key need nobody', async () => {
    const { run, target } = await withHost();
    const { stderr, code } = await run(['check', ...target]);
    expect(stderr).toMatch(/Signed in to \S+ with publickey \(\S*test_key\); its key is SHA256:/);
    expect([0, 3]).toContain(code);
  });

  test('an unknown host is refused with its fingerprint and what would help', async () => {
    const { run, target, host } = await withHost({ isKnown: false });
    const refused = await run(['check', ...target, '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      event: 'error',
      error: { code: 'host-key-unknown' },
    });
    expect(refused.stderr).toContain(host.hostKeys.get('ed25519')?.fingerprint);
    expect(refused.stderr).toMatch(/add it to known_hosts, or give --accept-new-host-key/);
  });

  test('--accept-new-host-key trusts it from then on, in the app’s own file', async () => {
    const { run, target, home, dataFolder } = await withHost({ isKnown: false });
    const accepted = await run(['check', ...target, '--accept-new-host-key']);
    expect(accepted.stderr).toMatch(SIGNED_IN);
    expect((await run(['check', ...target])).stderr).toMatch(SIGNED_IN);
    expect(existsSync(join(home, '.ssh', 'known_hosts'))).toBe(false);
    expect(textBelow(join(dataFolder, 'remote'))).toMatch(/ssh-ed25519 AAAA/);
  });

  test('a changed key is refused, also with --accept-new-host-key', async () => {
    const { run, target, home, host } = await withHost();
    const other = createSshKey(join(home, 'other'));
    const line = `[${host.address}]:${host.port} ${other.publicKey}\n`;
    writeFileSync(join(home, '.ssh', 'known_hosts'), line);
    const refused = await run(['check', ...target, '--accept-new-host-key']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).not.toMatch(SIGNED_IN);
    expect(refused.stderr).toContain(host.hostKeys.get('ed25519')?.fingerprint);
    expect(refused.stderr).toContain(other.fingerprint);
  });

  test('a password or a passphrase that nobody can be asked for says what would help', async () => {
    const { run, target, home, user } = await withHost();
    const [where = ''] = target;
    const password = await run(['check', where]);
    expect(password).toMatchObject({ code: 1, stdout: '' });
    expect(password.stderr).toMatch(/there is no terminal to ask at: use a key, with -i/);
    const locked = createSshKey(join(home, 'locked'), { passphrase: 'open sesame' });
    user.authorise(locked.publicKey);
    const passphrase = await run(['check', where, '-i', locked.file]);
    expect(passphrase.code).toBe(1);
    expect(passphrase.stderr).toMatch(/locked needs its passphrase|use a key, with -i/);
  });
});

describeWith(['sshServer'], 'signing in at a terminal', () => {
  test('asks about the key, then for the password, which never shows', async () => {
    const { startAtTerminal, target, user, host, dataFolder } = await withHost({
      isKnown: false,
    });
    const [where = ''] = target;
    const running = startAtTerminal(['check', where]);
    await expect.poll(() => running.stdout()).toMatch(/Type yes to trust it/);
    expect(running.stdout()).toContain(host.hostKeys.get('ed25519')?.fingerprint);
    running.type('yes\r');
    await expect.poll(() => running.stdout()).toMatch(/Password for \S+: $/);
    running.type(`${user.password}\r`);
    await expect.poll(() => running.stdout()).toMatch(/Signed in to \S+ with password/);
    const commands = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    const { stdout, stderr } = await running.ended;
    for (const seen of [stdout, stderr, commands, host.log(), textBelow(dataFolder)])
      expect(seen).not.toContain(user.password);
  });

  test('asks again after a wrong password, and Ctrl+C ends it', async () => {
    const { startAtTerminal, target } = await withHost();
    const running = startAtTerminal(['check', target[0] ?? '']);
    await expect.poll(() => running.stdout()).toMatch(/Password for \S+: $/);
    running.type('wrong\r');
    await expect
      .poll(() => running.stdout())
      .toMatch(/That was not accepted\. Password for \S+: $/);
    running.type('\u0003');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).not.toMatch(SIGNED_IN);
  });

  test('opens a key with its passphrase', async () => {
    const { startAtTerminal, target, user, home } = await withHost();
    const locked = createSshKey(join(home, 'locked'), { passphrase: 'open sesame' });
    user.authorise(locked.publicKey);
    const running = startAtTerminal(['check', target[0] ?? '', '-i', locked.file]);
    await expect.poll(() => running.stdout()).toMatch(/Passphrase for \S*locked: $/);
    running.type('open sesame\r');
    await expect.poll(() => running.stdout()).toMatch(/Signed in to \S+ with publickey/);
    expect((await running.ended).stdout).not.toContain('sesame');
  });
});

describeWith(['sshServer', 'oneTimeCodes'], 'a second factor', () => {
  test('is asked for as the server asks', async () => {
    const { startAtTerminal, target, user } = await withHost({
      host: { oneTimeCodes: true },
      user: { oneTimeCodes: true, sudo: 'free' },
    });
    const running = startAtTerminal(['check', target[0] ?? '']);
    await expect.poll(() => running.stdout()).toMatch(/Password(: | for \S+: )$/);
    running.type(`${user.password}\r`);
    await expect.poll(() => running.stdout()).toMatch(/Verification code: $/i);
    const secret = user.totpSecret ?? '';
    const code = execFileSync('oathtool', ['--totp', '-b', secret], { encoding: 'utf8' });
    running.type(`${code.trim()}\r`);
    await expect.poll(() => running.stdout()).toMatch(/Signed in to \S+ with keyboard-interactive/);
    expect((await running.ended).stdout).not.toContain(user.password);
  });
});
