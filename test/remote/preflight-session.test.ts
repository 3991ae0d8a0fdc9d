import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listProcesses } from '../../src-main/remote/preflight/list-processes.ts';
import type { HostProcess } from '../../src-main/shared/remote/preflight.ts';
import { rowsOf, sessionOver, tryOpen } from '../support/remote/open-session.ts';
import { must, personSaying } from '../support/remote/open-transport.ts';
import { SignedIn } from '../support/remote/signed-in.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

const never = new AbortController().signal;

describeWith(['sshServer', 'agent', 'bpf'], 'a session on a host', () => {
  let server: SshHost;
  let here: SignedIn;

  beforeAll(async () => {
    server = await startSshHost();
    here = new SignedIn(server);
  });
  afterEach(() => here.leave());
  afterAll(() => server.stop());

  test('as a user with sudo has everything', async () => {
    const { user, link } = await here.user({ sudo: 'free' });
    const { session, asked } = await sessionOver(link);
    expect(asked).toEqual([]);
    expect(session.privilege).toBe('sudo');
    expect(session.preflight.mode).toBe('full');
    // Others may record on this machine.
    expect(session.preflight.running.filter(({ ours }) => ours)).toEqual([]);
    expect(session).toMatchObject({ userName: user.name, loginShell: '/bin/bash' });
    expect(session.bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    expect(Math.abs(session.preflight.host.clockOffsetMs)).toBeLessThan(1000);
    const { offsetNs = Number.NaN, uncertaintyNs = 0 } = session.clock ?? {};
    expect(Math.abs(offsetNs)).toBeLessThanOrEqual(uncertaintyNs);
    const rows = rowsOf(session);
    for (const id of ['sudo', 'btf', 'bpf', 'sources', 'architecture', 'agent', 'disk']) {
      expect(rows[id], id).toMatchObject({ status: 'ok' });
    }
    for (const row of session.preflight.rows) {
      expect(row.detail, row.id).toMatch(/[.:%]$|\w\.$/);
      if (row.status === 'fail') expect(row.next, row.id).toBeTruthy();
    }
  });

  test('without sudo launches or samples, and says what it can not see', async () => {
    const { link } = await here.user();
    const { opened } = await tryOpen(link, personSaying('wrong', 'wrong too', 'again').ask);
    const session = must(opened);
    expect(session.privilege).toBe('sudo-declined');
    expect(session.preflight.mode).toBe('inside');
    expect(session.preflight.headline).toMatch(/^Full capture needs .*; this works now: .*\.$/);
    expect(session.preflight.cannotSee.join()).toContain('no cause can be claimed');
    const asRoot = await session.openAgent(['version', '--json'], { asRoot: true, signal: never });
    expect(asRoot).toMatchObject({ error: { code: 'no-permission' } });
  });

  test('lists processes as trees', async () => {
    const { link } = await here.user({ sudo: 'free' });
    const code = `import subprocess, sys
p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', '--token=canary-token'])
p.wait()`;
    const job = spawn('/usr/bin/python3', ['-c', code], { detached: true });
    try {
      const { session } = await sessionOver(link);
      const found = async () => {
        const { trees } = must(await listProcesses(session, never));
        return flatten(trees).find(({ pid }) => pid === job.pid);
      };
      await expect.poll(async () => (await found())?.children.length).toBe(1);
      const tree = await found();
      expect(tree).toMatchObject({ user: 'root', usesGpu: false });
      expect(tree?.children[0]?.parent).toBe(job.pid);
      expect(JSON.stringify(tree?.children)).not.toContain('canary-token');
      expect(Math.abs((tree?.startedAtMs ?? 0) - Date.now())).toBeLessThan(120_000);
    } finally {
      if (job.pid !== undefined) process.kill(-job.pid, 'SIGKILL');
    }
  });

  test('is opened by tcsh with a noisy .cshrc and little else', async () => {
    const { user, link } = await here.user({ shell: '/usr/bin/tcsh', sudo: 'password' });
    user.write('.cshrc', 'echo "Welcome! {}"\nalias printf echo\nset noclobber\n');
    const { session } = await sessionOver(link, [user.password]);
    expect(session).toMatchObject({ privilege: 'sudo-password', loginShell: '/usr/bin/tcsh' });
    expect(session.preflight.mode).toBe('full');
  });

  test('is opened by bash whose .bashrc prints and grumbles', async () => {
    const { user, link } = await here.user({ sudo: 'free' });
    user.write('.bashrc', 'echo "{\\"v\\":1}"; echo grumble >&2; sleep 300 & printf "no end"\n');
    const { session } = await sessionOver(link);
    expect(session.preflight.mode).toBe('full');
  });

  test('is not opened by what is no shell', async () => {
    const { link } = await here.user({ shell: '/usr/sbin/nologin' });
    const { opened } = await tryOpen(link);
    expect(opened).toMatchObject({
      error: { code: 'no-shell', message: expect.stringContaining('not available') },
    });
  });

  test('where uname tells of another machine (simulated) ends before anything is put there', async () => {
    const { user, link } = await here.user();
    user.write('bin/uname', '#!/bin/sh\n[ "$1" = -m ] && echo riscv64 || /bin/uname "$@"\n', 0o755);
    user.write('.bashrc', 'export PATH=$HOME/bin:$PATH\n');
    const { opened } = await tryOpen(link);
    expect(opened).toMatchObject({
      error: { code: 'unsupported-architecture', message: expect.stringContaining('riscv64') },
    });
    expect(readdirSync(user.home)).not.toContain('.cache');
  });
});

function flatten(trees: readonly HostProcess[]): HostProcess[] {
  return trees.flatMap((tree) => [tree, ...flatten(tree.children)]);
}
