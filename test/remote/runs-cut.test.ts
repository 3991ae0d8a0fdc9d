import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type CaptureRequest,
  defaultCapture,
} from '../../src-main/shared/remote/capture-request.ts';
import { answerOf } from '../support/fork-library.ts';
import { readProc } from '../support/processes.ts';
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

/** Links that break, and people who change their minds, while a capture begins. */

let host: SshHost;
let user: SshUser;
let folder: string;
let app: RemoteProcess;
let job: ChildProcess;
let connection: string;
let key: SshKey;

beforeEach(async () => {
  host = await startSshHost({ hostKeyTypes: ['ed25519'] });
  user = await createSshUser();
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-cut-'));
  key = createSshKey(join(folder, 'key'));
  user.authorise(key.publicKey);
  await startApp();
  job = spawn('sleep', ['120'], { uid: user.uid });
});
afterEach(async () => {
  await app.kill();
  expect(app.log()).toBe('');
  job.kill('SIGKILL');
  await once(job, 'exit').catch(() => undefined);
  await host.stop();
  await user.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(): Promise<void> {
  connection = newConnection();
  const target = { name: '127.0.0.1', port: host.port, user: user.name, identityFiles: [key.file] };
  answerOf(await app.call('connect', { connection, target }));
}

async function startApp(): Promise<void> {
  app = startRemoteProcess({ folder, answer: trusting(user.password) });
  await connect();
  answerOf(await app.call('preflight', { connection }));
}

function request(): CaptureRequest {
  const target = { kind: 'processes' as const, pids: [job.pid ?? 0] };
  return { ...defaultCapture, mode: 'sampled', target };
}

function recorders(): string[] {
  const words = execFileSync('ps', ['-u', user.name, '-o', 'args'], { encoding: 'utf8' });
  return words.split('\n').filter((line) => line.includes('stalltrace-agent record'));
}

/** The link alone: what it started on the host goes on. */
function killSshd(): void {
  // Shells come and go: one may have ended since it was listed.
  for (const pid of host.processes())
    if (readProc(`${pid}/comm`).startsWith('sshd')) process.kill(pid, 'SIGKILL');
}

function leftOnHost(): string {
  const places = [user.home, '/var/tmp', '/tmp', '/dev/shm'];
  const which = ['-xdev', '-user', user.name, '-path', '*stalltrace-remote-*'];
  // Its exit code tells too of what others remove meanwhile.
  return spawnSync('find', [...places, ...which], { encoding: 'utf8' }).stdout;
}

describeWith(['agent', 'sshServer'], 'a look at a host', () => {
  test.each(['Putting the agent', 'Trying what', 'Looking for other'])(
    'that is cancelled while it says “%s …” leaves nothing there',
    async (step) => {
      answerOf(await app.call('disconnect', { connection }));
      expect(leftOnHost()).toBe('');
      await connect();
      const cancel = new AbortController();
      const looked = await app.call(
        'preflight',
        { connection },
        {
          signal: cancel.signal,
          onProgress: ({ text }) => {
            if (text.startsWith(step)) cancel.abort();
          },
        },
      );
      expect(looked).toMatchObject({ error: { code: 'cancelled' } });
      answerOf(await app.call('disconnect', { connection }));
      expect(leftOnHost()).toBe('');
    },
  );

  test('that is cut off by signing out leaves nothing there', async () => {
    answerOf(await app.call('disconnect', { connection }));
    await connect();
    const { promise: trying, resolve } = Promise.withResolvers<void>();
    const onProgress = ({ text }: { text: string }) => text.startsWith('Trying') && resolve();
    const looked = app.call('preflight', { connection }, { onProgress });
    await trying;
    answerOf(await app.call('disconnect', { connection }));
    expect(await looked).toMatchObject({ ok: false });
    expect(leftOnHost()).toBe('');
  });
});

/** Each takes seconds: more of them in `npm run soak`. */
const BREAKS_AFTER_MS =
  process.env.STALLTRACE_SOAK === undefined ? [0, 260] : [0, 120, 260, 420, 700];

describeWith(['agent', 'sshServer'], 'a capture whose beginning is disturbed', () => {
  test.each(BREAKS_AFTER_MS)(
    'by a link that breaks after %d ms, is there or is not',
    async (afterMs) => {
      const starting = app.call('start', { connection, request: request() });
      await setTimeout(afterMs);
      host.signalConnections('SIGKILL');
      const started = await starting;
      const runs = answerOf(await app.call('runs', {}));
      if (!started.ok) expect(started.error.message).toMatch(/connection|lost/i);
      // What may run is on the list, and what is on the list can be ended.
      expect(recorders().length).toBeLessThanOrEqual(runs.length);
      for (const run of runs) {
        answerOf(await app.call('attach', { connection, run: run.id }));
        const still = answerOf(await app.call('runs', {})).some(({ id }) => id === run.id);
        if (still) answerOf(await app.call('abandon', { run: run.id }));
      }
      expect(recorders()).toEqual([]);
      expect(answerOf(await app.call('cleanUp', { connection })).left).toEqual([]);
      expect(leftOnHost()).toBe('');
    },
  );

  test.each(['link', 'app'])(
    'by the end of the %s while its folder is made, leaves nothing',
    async (what) => {
      // A disk that is slow to answer (simulated).
      const slow = '[ "$*" = captures ] || { : > "$HOME/slow"; exec sleep 8; }';
      user.write('bin/mkdir', `#!/bin/sh\n/bin/mkdir "$@"\n${slow}\n`, 0o755);
      user.write('.bashrc', 'export PATH=$HOME/bin:$PATH\n');
      const starting = app.call('start', { connection, request: request() });
      await expect.poll(() => existsSync(join(user.home, 'slow'))).toBe(true);
      user.write('.bashrc', '');
      // The link alone: what runs on the host goes on.
      if (what === 'link') for (const pid of host.connections()) process.kill(pid, 'SIGKILL');
      else {
        await app.kill();
        await startApp();
      }
      expect(await starting).toMatchObject({ ok: false });
      for (const run of answerOf(await app.call('runs', {})))
        answerOf(await app.call('attach', { connection, run: run.id }));
      expect(answerOf(await app.call('cleanUp', { connection })).left).toEqual([]);
      expect(answerOf(await app.call('runs', {}))).toEqual([]);
      expect(leftOnHost()).toBe('');
    },
  );

  test('by the end of the link before its folder is made late, leaves nothing', async () => {
    // A host that is slow to start what it was told (simulated).
    const late = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
    const told = `case "$*" in *captures) ;; *) : > "$HOME/told"; ${late} ;; esac`;
    user.write('bin/mkdir', `#!/bin/sh\n${told}\nexec /bin/mkdir "$@"\n`, 0o755);
    user.write('.bashrc', 'export PATH=$HOME/bin:$PATH\n');
    const starting = app.call('start', { connection, request: request() });
    await expect.poll(() => existsSync(join(user.home, 'told'))).toBe(true);
    user.write('.bashrc', '');
    killSshd();
    expect(await starting).toMatchObject({ ok: false });
    user.write('go', '');
    await expect.poll(leftOnHost).toMatch(/captures\/[0-9a-f]{16}\/\.stalltrace-run/);
    for (const run of answerOf(await app.call('runs', {})))
      answerOf(await app.call('attach', { connection, run: run.id }));
    expect(answerOf(await app.call('cleanUp', { connection })).left).toEqual([]);
    expect(answerOf(await app.call('runs', {}))).toEqual([]);
    expect(leftOnHost()).toBe('');
  });

  test.each([10, 100])('by somebody who cancels after %d ms, leaves nothing', async (afterMs) => {
    const cancel = new AbortController();
    const starting = app.call(
      'start',
      { connection, request: request() },
      { signal: cancel.signal },
    );
    await setTimeout(afterMs);
    cancel.abort();
    const started = await starting;
    // On a fast machine it may have begun before.
    if (started.ok) answerOf(await app.call('abandon', { run: started.value.id }));
    else expect(started.error.code).toBe('cancelled');
    await expect.poll(async () => answerOf(await app.call('runs', {}))).toEqual([]);
    expect(recorders()).toEqual([]);
    expect(answerOf(await app.call('cleanUp', { connection })).left).toEqual([]);
    expect(leftOnHost()).toBe('');
  });
});
