import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { firstMode, modeOn } from '../../src-main/shared/capture-modes/modes.ts';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import type { Preflight } from '../../src-main/shared/remote/preflight.ts';
import type { RemoteQuestion } from '../../src-main/shared/remote/questions.ts';
import type { Run } from '../../src-main/shared/remote/run.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { standIn, value } from '../support/agent/agent-run.ts';
import { answerOf } from '../support/fork-library.ts';
import { newConnection, type RemoteProcess, trusting } from '../support/remote/remote-process.ts';
import {
  createRemoteStage,
  endJob,
  hashOf,
  leftOnHost,
  type RemoteStage,
  recorderOf,
  remoteTraceOf,
} from '../support/remote/remote-stage.ts';
import { createSshKey } from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

/** Hosts as they go wrong, each with a real server and the whole of the app's process: what a person reads. */

let stage: RemoteStage | undefined;
let job: ChildProcess | undefined;
let files: string | undefined;

afterEach(async () => {
  if (job !== undefined) await endJob(job);
  await stage?.remove();
  if (files !== undefined) rmSync(files, { recursive: true, force: true });
  files = undefined;
  stage = undefined;
  job = undefined;
});

async function onStage(options: Parameters<typeof createRemoteStage>[0] = {}) {
  stage = await createRemoteStage(options);
  return stage;
}

/** On a host whose sshd a script starts. */
async function onStageOf(script: string): Promise<RemoteStage> {
  files = mkdtempSync(join(tmpdir(), 'stalltrace-sshd-script-'));
  const program = join(files, 'sshd');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return onStage({ host: { program } });
}

function startJob(how: readonly string[] = ['calm']): number {
  job = spawn(standIn('account'), ['100000', ...how], { stdio: 'ignore' });
  return job.pid ?? 0;
}

function sentenceOf(result: Result<unknown>): string {
  return result.ok ? 'it went well' : result.error.message;
}

/** Writes the person's known_hosts. */
function know({ folder }: RemoteStage, lines: string, isHashed = false): void {
  const ssh = join(folder, 'home', '.ssh');
  mkdirSync(ssh, { recursive: true, mode: 0o700 });
  const file = join(ssh, 'known_hosts');
  writeFileSync(file, lines);
  if (isHashed) execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'pipe' });
}

async function look(
  on: RemoteStage,
  answer?: Parameters<RemoteStage['startApp']>[0],
): Promise<{ app: RemoteProcess; connection: string; preflight: Preflight }> {
  const app = on.startApp(answer);
  const connection = newConnection();
  answerOf(await app.call('connect', { connection, target: on.target() }));
  return { app, connection, preflight: answerOf(await app.call('preflight', { connection })) };
}

function rowOf({ rows }: Preflight, id: string): string {
  const row = rows.find((each) => each.id === id);
  return [row?.detail, row?.next].filter(Boolean).join(' ');
}

async function begin(
  { app, connection, preflight }: Awaited<ReturnType<typeof look>>,
  pid: number,
  durationS = 60,
): Promise<Run> {
  if (preflight.mode === 'none') throw new Error(preflight.headline);
  const target = { kind: 'processes' as const, pids: [pid] };
  const mode = modeOn(preflight.mode, firstMode, target.kind);
  const request = { ...defaultCapture, profiles: [], mode, durationS, target };
  return answerOf(await app.call('start', { connection, request }));
}

/** To the library, and nothing stays. `seenAt`: where this machine sees the host's files. */
async function bringBack(
  { app, connection }: Awaited<ReturnType<typeof look>>,
  run: Run,
  on: RemoteStage,
  seenAt = '',
): Promise<string> {
  const onHost = remoteTraceOf(on, run.id);
  const fetched = answerOf(await app.call('fetch', { run: run.id }));
  expect(value(fetched.path, 'PRAGMA integrity_check')).toBe('ok');
  expect(await hashOf(fetched.path)).toBe(await hashOf(`${seenAt}${onHost}`));
  answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
  answerOf(await app.call('disconnect', { connection }));
  expect(leftOnHost(on.user)).toEqual([]);
  return onHost;
}

describeWith(['agent', 'sshServer'], 'signing in says', () => {
  test('that a password is wrong: what was tried, and what the host allows', async () => {
    const on = await onStage();
    const app = on.startApp(trusting('wrong'));
    const target = on.target({ identityFiles: [] });
    const refused = await app.call('connect', { connection: newConnection(), target });
    expect(sentenceOf(refused)).toMatch(
      /^Could not sign in to \S+: tried password\. The host allows publickey, password\. Check the user name and the password\.$/,
    );
    const { kind, attempt } = app.questions.at(-1) as RemoteQuestion & { attempt: number };
    expect({ kind, attempt }).toEqual({ kind: 'password', attempt: 3 });
  });

  test('that a host is not known, with its fingerprint; a hashed known_hosts knows it', async () => {
    const on = await onStage();
    const app = on.startApp(() => ({ kind: 'cancel' }));
    const target = on.target();
    const refused = await app.call('connect', { connection: newConnection(), target });
    const { fingerprint } = on.host.hostKeys.get('ed25519') ?? { fingerprint: '-' };
    expect(app.questions).toMatchObject([{ kind: 'host-key', key: { fingerprint } }]);
    expect(sentenceOf(refused)).toContain(fingerprint);
    expect(sentenceOf(refused)).toMatch(/not known/);
    know(on, on.host.knownHostsLines(), true);
    expect(readFileSync(join(on.folder, 'home/.ssh/known_hosts'), 'utf8')).not.toContain(
      '127.0.0.1',
    );
    answerOf(await app.call('connect', { connection: newConnection(), target }));
    expect(app.questions).toHaveLength(1);
  });

  test('that a key has changed, with both fingerprints, from a hashed known_hosts too', async () => {
    const on = await onStage();
    const old = createSshKey(join(on.folder, 'old'));
    know(on, `[127.0.0.1]:${on.host.port} ${old.publicKey}\n`, true);
    const app = on.startApp();
    const target = on.target();
    const refused = await app.call('connect', { connection: newConnection(), target });
    expect(refused).toMatchObject({ error: { code: 'host-key-changed' } });
    expect(sentenceOf(refused)).toContain(old.fingerprint);
    expect(sentenceOf(refused)).toContain(on.host.hostKeys.get('ed25519')?.fingerprint);
    expect(sentenceOf(refused)).toMatch(/known_hosts, line 1/);
  });
});

describeWith(['agent', 'bpf', 'sshServer'], 'a look at a host says', () => {
  test('that there is no way to root, and what works then', async () => {
    const on = await onStage({ user: { sudo: 'none' } });
    const { app, preflight } = await look(on);
    expect(preflight).toMatchObject({ mode: 'inside', privilege: 'not-sudoer' });
    expect(preflight.headline).toMatch(
      /^Full capture needs root’s rights.*; this works now: a command launched from here is recorded exactly\. A job that already runs is recorded from the moment a line is pasted into it\.$/,
    );
    expect(rowOf(preflight, 'sudo')).toMatch(
      /^sudo is there, but not for this user\. Ask the administrator .*, or sign in as root\.$/,
    );
    expect(preflight.cannotSee.join()).toMatch(/no cause can be claimed/);
    expect(app.questions.map(({ kind }) => kind)).not.toContain('password');
  });

  test('whether the password for sudo was right', async () => {
    const on = await onStage({ user: { sudo: 'password' } });
    const wrong = await look(on, trusting('wrong'));
    expect(wrong.preflight).toMatchObject({ mode: 'inside', privilege: 'sudo-declined' });
    expect(wrong.preflight.headline).toMatch(
      /^Full capture needs the password for sudo; this works now: /,
    );
    expect(rowOf(wrong.preflight, 'sudo')).toMatch(/password/);
    const asked = wrong.app.questions.filter(({ kind }) => kind === 'sudo-password');
    expect(asked.length).toBeGreaterThan(0);
    const right = await look(on);
    expect(right.preflight).toMatchObject({ mode: 'full', privilege: 'sudo-password' });
    expect(rowOf(right.preflight, 'sudo')).toMatch(
      /may use sudo with the password, which is kept in memory only\.$/,
    );
  });

  test('that the kernel does not describe its types, and waits for a line to be pasted', async () => {
    const on = await onStage({ host: { config: ['SetEnv STALLTRACE_PRETEND_MISSING=btf'] } });
    const keep = `Defaults:${on.user.name} env_keep += "STALLTRACE_PRETEND_MISSING"\n`;
    appendFileSync(`/etc/sudoers.d/${on.user.name}`, keep);
    const looked = await look(on);
    expect(looked.preflight).toMatchObject({ mode: 'inside', privilege: 'sudo' });
    expect(looked.preflight.headline).toMatch(
      /^Full capture needs a kernel that describes its types \(BTF\); this works now: /,
    );
    expect(rowOf(looked.preflight, 'btf')).not.toBe('');
    const run = await begin(looked, startJob(), 1);
    await expect.poll(() => looked.app.lastOf(run.id)?.phase).toBe('recorded');
    const ended = looked.app.lastOf(run.id);
    expect(ended?.mode).toBe('inside');
    // On a busy machine perf may lose some switches, which is said.
    if (ended?.tone === 'warn') expect(ended.message).toMatch(/ lost, which the trace marks/);
    else expect(ended?.tone).toBe('ok');
    expect(ended?.pastedLine).toMatch(/^import ctypes; /);
    await bringBack(looked, run, on);
  });

  test('that there is no agent for its architecture, and puts nothing there', async () => {
    const on = await onStageOf('exec setarch i686 /usr/sbin/sshd "$@"');
    const app = on.startApp();
    const connection = newConnection();
    answerOf(await app.call('connect', { connection, target: on.target() }));
    const refused = await app.call('preflight', { connection });
    expect(refused).toMatchObject({ error: { code: 'unsupported-architecture' } });
    expect(sentenceOf(refused)).toMatch(/i686/);
    expect(leftOnHost(on.user)).toEqual([]);
  });
});

/** Every other place of a host is read-only; what is left is a small one in memory. */
const SMALL_DISK = `
mount -t tmpfs -o size=32m,mode=1777 none /dev/shm &&
for place in /tmp /var/tmp; do
  mount --bind $place $place && mount -o remount,ro,bind $place || exit 1
done
exec /usr/sbin/sshd "$@"`;

describeWith(['agent', 'bpf', 'sshServer', 'mount'], 'a capture says', () => {
  test('that the disk of the host is full, and brings back what there is', async () => {
    const on = await onStageOf(`exec unshare -m sh -c '${SMALL_DISK}' sh "$@"`);
    const looked = await look(on);
    const seenAt = `/proc/${on.host.connections().at(-1)}/root`;
    expect(looked.preflight.agent.path).toMatch(/^\/dev\/shm\//);
    const run = await begin(looked, startJob([]));
    await expect.poll(() => looked.app.lastOf(run.id)?.phase, { timeout: 60_000 }).toBe('recorded');
    expect(looked.app.lastOf(run.id)).toMatchObject({ tone: 'warn' });
    expect(looked.app.lastOf(run.id)?.message).toMatch(
      /^The host's disk is nearly full, so the capture ended after .* s; bring back what was recorded until then\./,
    );
    await bringBack(looked, run, on, seenAt);
    expect(existsSync(`${seenAt}/dev/shm`) ? readdirSync(`${seenAt}/dev/shm`) : []).toEqual([]);
    expect(job?.exitCode).toBeNull();
  });

  test('that its recorder was killed, and brings back what there is', async () => {
    const on = await onStage();
    const looked = await look(on);
    const run = await begin(looked, startJob());
    await expect.poll(() => looked.app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(2e9);
    const { connection } = looked;
    const { running } = answerOf(await looked.app.call('preflight', { connection }));
    // Others may record on this machine.
    expect(running.filter(({ ours }) => ours)).toHaveLength(1);
    process.kill(recorderOf(remoteTraceOf(on, run.id)), 'SIGKILL');
    await expect.poll(() => looked.app.lastOf(run.id)?.phase).toBe('recorded');
    expect(looked.app.lastOf(run.id)?.message).toMatch(
      /^The recorder on the host ended unexpectedly; the job goes on\. Bring back the trace: it holds all but the last second\./,
    );
    const fetched = answerOf(await looked.app.call('fetch', { run: run.id }));
    expect(Number(value(fetched.path, 'SELECT count(*) FROM off_cpu'))).toBeGreaterThan(0);
    await bringBack(looked, run, on);
    expect(job?.exitCode).toBeNull();
  });
});

describeWith(['agent', 'bpf', 'sshServer'], 'a host is no worse', () => {
  test('with 2 sessions a connection and no SFTP', async () => {
    const on = await onStage({ host: { config: ['MaxSessions 2'] } });
    const sftp = ['-b', '-', '-oBatchMode=yes', '-oStrictHostKeyChecking=no'];
    const known = ['-oUserKnownHostsFile=/dev/null', '-i', on.key.file, '-P', `${on.host.port}`];
    const to = `${on.user.name}@127.0.0.1`;
    expect(() =>
      execFileSync('sftp', [...sftp, ...known, to], { input: 'ls\n', stdio: 'pipe' }),
    ).toThrow(/subsystem|Connection closed/);
    const looked = await look(on);
    const run = await begin(looked, startJob());
    await expect.poll(() => looked.app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(2e9);
    answerOf(await looked.app.call('stop', { run: run.id }));
    expect(looked.app.links).toEqual([]);
    await bringBack(looked, run, on);
  });

  test('with tcsh, a banner and an rc file that talks', async () => {
    const noise = Array.from({ length: 50 }, (_, line) => `Welcome ${line} $(rm) \u001b[31m{`);
    const banner = join(mkdtempSync(join(tmpdir(), 'stalltrace-banner-')), 'banner');
    files = dirname(banner);
    writeFileSync(banner, `${noise.join('\n')}\n`);
    const on = await onStage({
      host: { config: [`Banner ${banner}`] },
      user: { shell: '/usr/bin/tcsh', sudo: 'free' },
    });
    on.user.write('.cshrc', `${noise.map((line) => `echo '${line}'`).join('\n')}\n`);
    const looked = await look(on);
    expect(looked.preflight).toMatchObject({ mode: 'full' });
    const run = await begin(looked, startJob());
    await expect.poll(() => looked.app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(1e9);
    answerOf(await looked.app.call('stop', { run: run.id }));
    // How the job may come in is none about the host.
    const said = looked.app.lastOf(run.id)?.notices ?? [];
    expect(said.filter(({ text }) => !text.includes('stalltrace_begin'))).toEqual([]);
    await bringBack(looked, run, on);
  });
});
