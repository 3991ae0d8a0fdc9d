import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import type { RemoteAnswer, RemoteQuestion } from '../../src-main/shared/remote/questions.ts';
import { standIn } from '../support/agent/agent-run.ts';
import { answerOf } from '../support/fork-library.ts';
import { newConnection } from '../support/remote/remote-process.ts';
import {
  createRemoteStage,
  endJob,
  leftOnHost,
  type RemoteStage,
  storedRun,
} from '../support/remote/remote-stage.ts';
import { filesWith, watchProcesses } from '../support/remote/secret-watch.ts';
import { createSshKey } from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * A whole capture by somebody who gives everything: the passphrase of a key, a password, a one-time code,
 * and the password for sudo. None of it is seen anywhere, meanwhile or afterwards.
 */

/** The first prompt of keyboard-interactive is for the password, and asked as that. */
const ASKED = ['host-key', 'passphrase', 'password', 'prompts', 'sudo-password'];
// Not written here, where it would be found.
const PASSPHRASE = randomBytes(16).toString('hex');
let stage: RemoteStage;
let job: ChildProcess;

afterEach(async () => {
  await endJob(job);
  await stage.remove();
});

describeWith(['agent', 'bpf', 'sshServer', 'oneTimeCodes'], 'secrets', () => {
  test.each(['ssh2', 'system'] as const)('are nowhere, by %s', async (transport) => {
    stage = await createRemoteStage({
      host: {
        oneTimeCodes: true,
        config: ['AuthenticationMethods publickey,keyboard-interactive'],
      },
      user: { sudo: 'password', oneTimeCodes: true },
    });
    const { user, host, folder } = stage;
    const locked = createSshKey(join(folder, 'locked'), { passphrase: PASSPHRASE });
    user.authorise(locked.publicKey);
    job = spawn(standIn('account'), ['100000', 'calm'], { stdio: 'ignore' });
    const codes: string[] = [];
    const asked = new Set<string>();
    function answer(question: RemoteQuestion): RemoteAnswer {
      const texts = (...all: string[]) => ({ kind: 'texts' as const, texts: all, remember: false });
      asked.add(question.kind);
      switch (question.kind) {
        case 'host-key':
          return { kind: 'trust', once: false };
        case 'passphrase':
          return texts(PASSPHRASE);
        case 'password':
        case 'sudo-password':
          return texts(user.password);
        case 'prompts':
          return texts(
            ...question.prompts.map(({ text }) => {
              if (!/code/i.test(text)) return user.password;
              const words = ['--totp', '-b', user.totpSecret ?? ''];
              codes.push(execFileSync('oathtool', words, { encoding: 'utf8' }).trim());
              return codes.at(-1) ?? '';
            }),
          );
        default:
          return { kind: 'cancel' };
      }
    }
    const long = [PASSPHRASE, user.password];
    const processes = watchProcesses(() => long);
    const app = stage.startApp(answer);
    const connection = newConnection();
    const target = stage.target({ identityFiles: [locked.file], transport });
    answerOf(await app.call('connect', { connection, target }));
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight).toMatchObject({ mode: 'full', privilege: 'sudo-password' });
    expect([...asked].sort()).toEqual([...ASKED]);
    const request = { ...defaultCapture, target: { kind: 'machine' as const } };
    const run = answerOf(await app.call('start', { connection, request }));
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(2e9);
    answerOf(await app.call('stop', { run: run.id }));
    const fetched = answerOf(await app.call('fetch', { run: run.id }));
    const { baseFolder } = storedRun(stage, run.id);
    // With what is on the host still.
    const disk = [baseFolder, user.home, '/run/stalltrace', folder, dirname(fetched.path)];
    expect(filesWith(long, [...disk, '/tmp', '/var/tmp', '/dev/shm'])).toEqual([]);
    answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    answerOf(await app.call('disconnect', { connection }));
    expect(leftOnHost(user)).toEqual([]);

    expect(processes.looks()).toBeGreaterThan(5);
    expect(processes.end()).toEqual([]);
    const said = [app.log(), JSON.stringify([app.runs, app.links, app.questions]), host.log()];
    for (const text of said)
      for (const secret of [...long, ...codes]) expect(text).not.toContain(secret);
    // Six digits are in any trace by chance.
    expect(codes.length).toBeGreaterThan(0);
    expect(filesWith(codes, [folder]).filter((file) => !/\.db$|key|locked/.test(file))).toEqual([]);
  });
});
