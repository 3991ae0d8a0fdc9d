import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import type { HostProcess } from '../../src-main/shared/remote/preflight.ts';
import { value } from '../support/agent/agent-run.ts';
import { answerOf } from '../support/fork-library.ts';
import { newConnection } from '../support/remote/remote-process.ts';
import {
  createRemoteStage,
  endJob,
  hashOf,
  hasRootNotes,
  leftOnHost,
  type RemoteStage,
  startDataLoader,
  storedRun,
} from '../support/remote/remote-stage.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

/** A DataLoader of a host's user, chosen from the list, captured, brought back, opened; nothing stays. */

let stage: RemoteStage;
let job: ChildProcess;

afterEach(async () => {
  await endJob(job);
  await stage.remove();
});

const CASES = [
  { who: 'a user without sudo', sudo: 'none', best: 'inside', mode: 'sampled' },
  { who: 'a user with sudo', sudo: 'free', best: 'full', mode: 'full' },
] as const;

describeWith(['agent', 'bpf', 'sshServer', 'torch'], 'a DataLoader over SSH', () => {
  test.each(CASES)('of $who: $mode', async ({ sudo, best, mode }) => {
    stage = await createRemoteStage({ user: { sudo } });
    job = startDataLoader(stage.user);
    const app = stage.startApp();
    const connection = newConnection();
    answerOf(await app.call('connect', { connection, target: stage.target() }));
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight.mode).toBe(best);
    expect(existsSync(preflight.agent.path)).toBe(true);

    let tree: HostProcess | undefined;
    await expect
      .poll(
        async () => {
          const { trees } = answerOf(await app.call('processes', { connection }));
          tree = trees.find(({ pid }) => pid === job.pid);
          return tree?.children.filter(({ role }) => role === 'dataloader-worker').length;
        },
        { timeout: 60_000 },
      )
      .toBe(2);
    expect(tree).toMatchObject({ user: stage.user.name, mapsCuda: true });

    const request = {
      ...defaultCapture,
      mode,
      target: { kind: 'processes' as const, pids: [tree?.pid ?? 0] },
    };
    const run = answerOf(await app.call('start', { connection, request }));
    expect(run.what).toMatch(/^dataloader\.py \(pid \d+\) and \d+ more processes$/);
    await expect.poll(() => app.lastOf(run.id)?.live?.elapsedNs).toBeGreaterThan(3e9);
    expect(app.lastOf(run.id)?.live?.drops).toEqual({});
    answerOf(await app.call('stop', { run: run.id }));

    const { traceFile, agentRun = '', baseFolder } = storedRun(stage, run.id);
    expect(hasRootNotes(agentRun)).toBe(mode === 'full');
    const { path } = answerOf(await app.call('fetch', { run: run.id }));
    expect(await hashOf(path)).toBe(await hashOf(traceFile));
    const workers = "SELECT count(*) FROM process WHERE role = 'dataloader-worker'";
    expect(value(path, workers)).toBe(2);
    const copies = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaMemcpyAsync'`;
    if (mode === 'full') expect(value(path, copies)).toBeGreaterThan(10);
    const info = runCli(['info', path], stage.folder);
    expect(info, info.stderr).toMatchObject({ code: 0 });
    expect(info.stdout).toContain(
      mode === 'full' ? 'cudaMemcpyAsync' : 'Recorded without BPF: each switch of the job',
    );

    const settled = answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    expect(settled.cleanUp?.left).toEqual([]);
    expect(existsSync(baseFolder)).toBe(false);
    expect(leftOnHost(stage.user)).toEqual([]);
    expect(hasRootNotes(agentRun)).toBe(false);
    expect(job.exitCode).toBeNull();
  });
});
