import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import { query, standIn, value } from '../support/agent/agent-run.ts';
import { expectExactCallsIn, ROUNDS, THREADS } from '../support/agent/exact-calls.ts';
import { startNotebook } from '../support/agent/notebook.ts';
import { answerOf } from '../support/fork-library.ts';
import { newConnection } from '../support/remote/remote-process.ts';
import {
  createRemoteStage,
  leftOnHost,
  type RemoteStage,
  storedRun,
} from '../support/remote/remote-stage.ts';
import { describeWith } from '../support/requirements.ts';

/** A job that is launched on a host by who has no rights there, as in a rented container; brought back; nothing stays. */

const COPY = 2;
let stage: RemoteStage;

beforeEach(async () => {
  stage = await createRemoteStage({ user: { sudo: 'none' } });
});
afterEach(() => stage.remove());

describeWith(['agent', 'sshServer'], 'a command launched over SSH without rights', () => {
  test('has each CUDA call and what the GPU did', async () => {
    const { home } = stage.user;
    for (const name of ['calls', 'libcudart.so.12', 'libcupti.so.12'])
      copyFileSync(standIn(name), join(home, name));
    const app = stage.startApp();
    const connection = newConnection();
    answerOf(await app.call('connect', { connection, target: stage.target() }));
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight.mode).toBe('inside');
    expect(preflight.sees.join()).toMatch(/Each CUDA call of a command that is launched here/);
    const way = preflight.rows.find(({ id }) => id === 'way-inside');
    expect(way).toMatchObject({ group: 'ways', status: 'ok' });

    const report = join(home, 'report.json');
    const target = {
      kind: 'command' as const,
      line: `./calls count ${ROUNDS} ${THREADS}`,
      folder: '~',
      environment: [`LD_LIBRARY_PATH=${home}`, `JOB_REPORT=${report}`],
    };
    const request = { ...defaultCapture, mode: 'inside' as const, target };
    const run = answerOf(await app.call('start', { connection, request }));
    await expect.poll(() => app.lastOf(run.id)?.phase, { timeout: 30_000 }).toBe('recorded');
    const { baseFolder } = storedRun(stage, run.id);
    const { path } = answerOf(await app.call('fetch', { run: run.id }));
    expectExactCallsIn(path, JSON.parse(readFileSync(report, 'utf8')));
    expect(value(path, `SELECT count(call_id) FROM gpu_work WHERE kind = ${COPY}`)).toBe(
      16 * ROUNDS * THREADS,
    );
    const settled = answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    expect(settled.cleanUp?.left).toEqual([]);
    expect(existsSync(baseFolder)).toBe(false);
    expect(leftOnHost(stage.user)).toEqual([]);
  });

  test('a job that runs already comes in by the line that is shown', async () => {
    const { user } = stage;
    const notebook = await startNotebook({
      through: ['/usr/sbin/runuser', '-u', user.name, '--', 'setpriv', '--pdeathsig', 'KILL'],
    });
    await notebook.run('calls 3');
    const pid = Number(await notebook.run('import os; print(os.getpid())'));
    const app = stage.startApp();
    const connection = newConnection();
    answerOf(await app.call('connect', { connection, target: stage.target() }));
    answerOf(await app.call('preflight', { connection }));
    const target = { kind: 'processes' as const, pids: [pid] };
    const request = { ...defaultCapture, mode: 'inside' as const, target };
    const run = answerOf(await app.call('start', { connection, request }));
    const shown = () => app.lastOf(run.id);
    await expect.poll(() => shown()?.pastedLine).toBeTruthy();
    expect(await notebook.run(shown()?.pastedLine ?? '')).toMatch(/^Recorded by Stalltrace/);
    await notebook.run('calls 11');
    await expect.poll(() => shown()?.live?.inside, { timeout: 10_000 }).toBe(1);
    expect(
      shown()
        ?.notices.map(({ text }) => text)
        .join(),
    ).toMatch(/has come in/);
    answerOf(await app.call('stop', { run: run.id }));
    const { path } = answerOf(await app.call('fetch', { run: run.id }));
    const rows = query(
      path,
      'SELECT count(*) AS n FROM cuda_call GROUP BY op_id UNION ALL SELECT count(call_id) FROM gpu_work',
    );
    expect(rows.map(({ n }) => n)).toEqual([11, 11, 11, 11]);
    answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    await notebook.end();
    expect(leftOnHost(user)).toEqual([]);
  });
});
