import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type CaptureRequest,
  defaultCapture,
} from '../../src-main/shared/remote/capture-request.ts';
import type { HostTarget } from '../../src-main/shared/remote/host-target.ts';
import type { Run } from '../../src-main/shared/remote/run.ts';
import { cudart, value } from '../support/agent/agent-run.ts';
import { lineUntil } from '../support/agent/outlasting-job.ts';
import { answerOf } from '../support/fork-library.ts';
import {
  newConnection,
  type RemoteProcess,
  startRemoteProcess,
  trusting,
} from '../support/remote/remote-process.ts';
import {
  createSshKey,
  type SshHost,
  type SshKey,
  startSshHost,
} from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** The whole of it: a real server, real users, the real agent, and the app's process killed at will. */

let host: SshHost;
let keys: string;
let key: SshKey;
let user: SshUser;
let folder: string;
let app: RemoteProcess;
let others: RemoteProcess[];
let job: ChildProcess;

beforeAll(async () => {
  host = await startSshHost();
  keys = mkdtempSync(join(tmpdir(), 'stalltrace-runs-keys-'));
  key = createSshKey(join(keys, 'key'));
  user = await createSshUser({ sudo: 'free' });
  user.authorise(key.publicKey);
});
afterAll(async () => {
  await host.stop();
  await user.remove();
  rmSync(keys, { recursive: true, force: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-runs-'));
  others = [];
  app = start();
  job = spawn('/usr/bin/python3', [
    join(import.meta.dirname, '../agent/jobs/dataloader.py'),
    ...[
      '--library',
      cudart,
      '--workers',
      '2',
      '--persistent',
      '--epochs',
      '100000',
      '--item-sleep-us',
      '500',
    ],
    ...['--report', join(folder, 'report.json')],
  ]);
});
afterEach(async () => {
  for (const each of [app, ...others]) {
    await each.kill();
    expect(each.log()).toBe('');
  }
  job.kill('SIGKILL');
  await once(job, 'exit').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

function start(answer = trusting(user?.password)): RemoteProcess {
  return startRemoteProcess({ folder, answer });
}

function target(of = user): HostTarget {
  return { name: '127.0.0.1', port: host.port, user: of.name, identityFiles: [key.file] };
}

async function connect(to: RemoteProcess, of = user): Promise<string> {
  const connection = newConnection();
  answerOf(await to.call('connect', { connection, target: target(of), label: 'Lab 1' }));
  return connection;
}

async function begin(connection: string, changes: Partial<CaptureRequest> = {}): Promise<Run> {
  const request: CaptureRequest = {
    ...defaultCapture,
    target: { kind: 'processes', pids: [job.pid ?? 0] },
    ...changes,
  };
  return answerOf(await app.call('start', { connection, request }));
}

/** Folders of ours on the host, wherever they may be. */
function leftOn(of = user): string[] {
  const places = [join(of.home, '.cache'), '/var/tmp', '/tmp', '/dev/shm', '/workspace'];
  return places
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => join(place, name)))
    .filter((path) => /stalltrace-(remote-)?\d+$/.test(path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.uid === of.uid);
}

describeWith(['agent', 'bpf', 'sshServer', 'torch'], 'a capture over SSH', () => {
  test('of a DataLoader outlives the app, is brought back, and leaves nothing', async () => {
    const connection = await connect(app);
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight).toMatchObject({ mode: 'full', privilege: 'sudo' });
    // Others may record on this machine.
    expect(preflight.running.filter(({ ours }) => ours)).toEqual([]);
    await expect
      .poll(async () => {
        const { trees } = answerOf(await app.call('processes', { connection }));
        return trees.find(({ pid }) => pid === job.pid)?.children.length;
      })
      .toBeGreaterThanOrEqual(2);
    const run = await begin(connection);
    expect(run).toMatchObject({ phase: 'recording', host: 'Lab 1', mode: 'full' });
    expect(run.what).toMatch(/^dataloader\.py \(pid \d+\) and \d+ more processes$/);
    await expect.poll(() => app.lastOf(run.id)?.live?.slowest.length).toBeGreaterThan(0);
    expect(app.lastOf(run.id)?.live).toMatchObject({ drops: {} });
    await app.kill();

    app = start();
    expect(answerOf(await app.call('runs', {}))).toMatchObject([
      { id: run.id, phase: 'recording' },
    ]);
    expect(await app.call('stop', { run: run.id })).toMatchObject({
      error: { code: 'not-connected' },
    });
    const again = await connect(app);
    expect(answerOf(await app.call('attach', { connection: again, run: run.id }))).toMatchObject({
      phase: 'recording',
    });
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(1e9);
    expect(answerOf(await app.call('runs', {}))[0]?.live?.rates.length).toBeGreaterThan(0);
    const stopped = answerOf(await app.call('stop', { run: run.id }));
    expect(stopped).toMatchObject({ phase: 'recorded', tone: 'ok' });
    const fetched = answerOf(await app.call('fetch', { run: run.id }));
    expect(value(fetched.path, 'PRAGMA integrity_check')).toBe('ok');
    expect(Number(value(fetched.path, 'SELECT count(*) FROM cuda_call'))).toBeGreaterThan(0);
    // It is one machine: before and after, its clock is this one's.
    const { clock } = answerOf(await app.call('runTarget', { run: run.id }));
    const [before, after] = [clock, clock?.atEnd].map((read) => {
      expect(Math.abs(read?.offsetNs ?? Number.NaN)).toBeLessThanOrEqual(read?.uncertaintyNs ?? 0);
      return Date.parse(read?.measuredAt ?? '');
    });
    expect(after).toBeGreaterThan(before ?? Number.NaN);
    const settled = answerOf(await app.call('settle', { run: run.id, investigation: 7 }));
    expect(settled.cleanUp).toMatchObject({ left: [] });
    expect(settled.cleanUp?.freedBytes).toBeGreaterThan(fetched.sizeBytes);
    expect(app.lastOf(run.id)).toMatchObject({
      phase: 'cleaned',
      investigation: 7,
      bytesOnHost: 0,
    });
    expect(answerOf(await app.call('runs', {}))).toEqual([]);
    expect(leftOn()).toEqual([]);
    expect(readdirSync(join(folder, 'remote/runs'))).toEqual([]);
    expect(job.exitCode).toBeNull();
  });

  test('goes on while the link is cut, and is followed again by itself', async () => {
    const connection = await connect(app);
    const run = await begin(connection);
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(0);
    host.signalConnections('SIGKILL');
    await expect.poll(() => app.lastOf(run.id)?.link).toBe('reconnecting');
    const before = app.lastOf(run.id)?.live?.elapsedNs ?? 0;
    await expect.poll(() => app.lastOf(run.id)?.link).toBe('connected');
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(before);
    expect(answerOf(await app.call('abandon', { run: run.id }))).toMatchObject({ left: [] });
    expect(app.lastOf(run.id)?.phase).toBe('abandoned');
    expect(answerOf(await app.call('runs', {}))).toEqual([]);
    expect(leftOn()).toEqual([]);
  });

  test('is in the hand of one Stalltrace at a time', async () => {
    const connection = await connect(app);
    const run = await begin(connection, { mode: 'sampled' });
    const other = start();
    others.push(other);
    const elsewhere = await connect(other);
    expect(await other.call('attach', { connection: elsewhere, run: run.id })).toMatchObject({
      error: { code: 'run-busy', message: expect.stringContaining('is using this capture') },
    });
    expect(await other.call('forgetRun', { run: run.id })).toMatchObject({
      error: { code: 'run-busy' },
    });
    expect(answerOf(await other.call('cleanUp', { connection: elsewhere })).left).toEqual([
      { path: expect.any(String), why: expect.stringContaining('capture') },
    ]);
    answerOf(await app.call('disconnect', { connection }));
    answerOf(await other.call('attach', { connection: elsewhere, run: run.id }));
    expect(answerOf(await other.call('abandon', { run: run.id })).left).toEqual([]);
    expect(leftOn()).toEqual([]);
  });

  test('two at once are captured and cleaned up each by itself', async () => {
    const connection = await connect(app);
    const [one, two] = [await begin(connection), await begin(connection, { mode: 'sampled' })];
    expect(answerOf(await app.call('abandon', { run: one.id })).left).toEqual([
      { path: expect.any(String), why: expect.stringContaining('still need the agent') },
    ]);
    await expect.poll(() => app.lastOf(two.id)?.live?.elapsedNs).toBeGreaterThan(0);
    expect(leftOn()).toHaveLength(1);
    answerOf(await app.call('stop', { run: two.id }));
    answerOf(await app.call('fetch', { run: two.id }));
    answerOf(await app.call('settle', { run: two.id, investigation: 1 }));
    expect(leftOn()).toEqual([]);
  });

  test('is cleaned up later where its host is gone for now', async () => {
    const connection = await connect(app);
    const run = await begin(connection, { durationS: 1 });
    await expect.poll(() => app.lastOf(run.id)?.phase).toBe('recorded');
    answerOf(await app.call('fetch', { run: run.id }));
    answerOf(await app.call('disconnect', { connection }));
    expect(answerOf(await app.call('settle', { run: run.id, investigation: 1 }))).toEqual({});
    expect(answerOf(await app.call('runs', {}))).toMatchObject([
      { phase: 'brought', investigation: 1, message: expect.stringContaining('clean up') },
    ]);
    expect(leftOn()).toHaveLength(1);
    const again = await connect(app);
    const report = answerOf(await app.call('cleanUp', { connection: again }));
    expect(report).toMatchObject({ left: [] });
    expect(report.freedBytes).toBeGreaterThan(0);
    expect(leftOn()).toEqual([]);
    expect(answerOf(await app.call('runs', {}))).toEqual([]);
  });

  test('of a host that restarted meanwhile ends with a sentence', async () => {
    const connection = await connect(app);
    const run = await begin(connection);
    await app.kill();
    const file = join(folder, 'remote/runs', run.id, 'run.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"bootId": "[^"]*"/, '"bootId": "another"'));
    app = start();
    const again = await connect(app);
    expect(answerOf(await app.call('attach', { connection: again, run: run.id }))).toMatchObject({
      phase: 'recorded',
      tone: 'fail',
      message: expect.stringMatching(
        /^The host restarted at .* the capture ended; .* bring it back\.$/,
      ),
    });
    writeFileSync(file, text);
    expect(answerOf(await app.call('abandon', { run: run.id })).left).toMatchObject([
      { why: expect.stringContaining('still runs') },
    ]);
    await app.kill();
    writeFileSync(file, text);
    app = start();
    answerOf(await app.call('attach', { connection: await connect(app), run: run.id }));
    expect(answerOf(await app.call('abandon', { run: run.id })).left).toEqual([]);
  });
});

describeWith(['agent', 'bpf', 'sshServer'], 'who a capture runs as', () => {
  let asked: SshUser;
  let plain: SshUser;
  beforeAll(async () => {
    asked = await createSshUser({ sudo: 'password', shell: '/bin/bash' });
    plain = await createSshUser({ shell: '/usr/bin/tcsh' });
    for (const each of [asked, plain]) each.authorise(key.publicKey);
  });
  afterAll(async () => {
    await asked.remove();
    await plain.remove();
  });

  test('the agent is root by a password, the command is the user, and no secret is written', async () => {
    await app.kill();
    app = start(trusting(asked.password));
    const connection = await connect(app, asked);
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight).toMatchObject({ mode: 'full', privilege: 'sudo-password' });
    const over = join(asked.home, 'over');
    const line = `id -un > who; echo $HOME >> who; echo ran; ${lineUntil(over)}; exit 3`;
    const run = await begin(connection, { target: { kind: 'command', line } });
    const words = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(words).not.toContain(asked.password);
    writeFileSync(over, '');
    await expect.poll(() => app.lastOf(run.id)?.phase).toBe('recorded');
    expect(readFileSync(join(asked.home, 'who'), 'utf8')).toBe(`${asked.name}\n${asked.home}\n`);
    expect(app.lastOf(run.id)).toMatchObject({
      tone: 'warn',
      message: expect.stringContaining('The command ended with exit code 3'),
      what: 'id …',
    });
    await expect
      .poll(() => app.lastOf(run.id)?.notices.at(-1)?.text)
      .toBe("The command's last output: ran");
    answerOf(await app.call('fetch', { run: run.id }));
    answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    expect(leftOn(asked)).toEqual([]);
    const found = spawnSync('grep', ['-r', '-l', asked.password, folder, asked.home]);
    expect({ status: found.status, files: String(found.stdout) }).toEqual({ status: 1, files: '' });
  });

  test('without rights it samples a command of a tcsh user', async () => {
    await app.kill();
    app = start(trusting(plain.password));
    const connection = await connect(app, plain);
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight).toMatchObject({ mode: 'inside', privilege: 'not-sudoer' });
    const over = join(plain.home, 'over');
    plain.write('wait', lineUntil(over));
    const run = await begin(connection, {
      mode: 'sampled',
      target: { kind: 'command', line: 'echo $0 > shell ; sh wait', folder: '~' },
    });
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(0);
    writeFileSync(over, '');
    await expect.poll(() => app.lastOf(run.id)?.phase).toBe('recorded');
    expect(readFileSync(join(plain.home, 'shell'), 'utf8')).toContain('tcsh');
    answerOf(await app.call('fetch', { run: run.id }));
    answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    expect(leftOn(plain)).toEqual([]);
  });

  test('two users of one machine leave nothing there, whoever is done first', async () => {
    const runs: [SshUser, Run][] = [];
    for (const of of [user, plain]) {
      const connection = await connect(app, of);
      answerOf(await app.call('preflight', { connection }));
      of.write('wait-both', lineUntil(join(of.home, 'both-over')));
      const target = { kind: 'command', line: 'sh wait-both', folder: '~' } as const;
      runs.push([of, await begin(connection, { mode: 'sampled', target })]);
    }
    for (const [of, { id }] of runs) {
      writeFileSync(join(of.home, 'both-over'), '');
      await expect.poll(() => app.lastOf(id)?.phase).toBe('recorded');
      answerOf(await app.call('fetch', { run: id }));
    }
    for (const [of, { id }] of runs) {
      expect(leftOn(of)).not.toEqual([]);
      const settled = answerOf(await app.call('settle', { run: id, investigation: 1 }));
      expect(settled.cleanUp).toMatchObject({ left: [] });
      expect(leftOn(of)).toEqual([]);
    }
  });

  test('a host that was only looked at is left as it was', async () => {
    const connection = await connect(app);
    answerOf(await app.call('preflight', { connection }));
    expect(leftOn()).toHaveLength(1);
    answerOf(await app.call('disconnect', { connection }));
    expect(leftOn()).toEqual([]);
  });
});
