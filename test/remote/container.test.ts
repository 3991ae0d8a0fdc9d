import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import { standIn, value } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { answerOf } from '../support/fork-library.ts';
import { insideContainer } from '../support/remote/container.ts';
import { newConnection } from '../support/remote/remote-process.ts';
import { createRemoteStage, type RemoteStage, storedRun } from '../support/remote/remote-stage.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

/**
 * The whole way of who rents a GPU in a container, as its root, where BPF and perf are refused: connect, look,
 * launch, watch, bring back, and read why the GPU waits and what to change. Nothing stays.
 */

let stage: RemoteStage;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-container-'));
  const keys = join(folder, 'authorized_keys');
  stage = await createRemoteStage({
    host: {
      through: insideContainer(),
      config: [`AuthorizedKeysFile ${keys}`, 'StrictModes no'],
    },
  });
  writeFileSync(keys, `${stage.key.publicKey}\n`, { mode: 0o600 });
  for (const name of ['libcudart.so.12', 'libcuda.so.1', 'libcupti.so.12'])
    copyFileSync(standIn(name), join(folder, name));
  copyFileSync(join(root, 'test/agent/jobs/dataloader.py'), join(folder, 'train.py'));
});
afterEach(async () => {
  await stage.remove();
  rmSync(folder, { recursive: true, force: true });
});

describeWith(['agent', 'sshServer', 'torch'], 'a rented container', () => {
  test('from connecting to the fix', async () => {
    const app = stage.startApp();
    const connection = newConnection();
    answerOf(await app.call('connect', { connection, target: stage.target({ user: 'root' }) }));
    const preflight = answerOf(await app.call('preflight', { connection }));
    expect(preflight.mode).toBe('inside');
    const refused = preflight.rows.filter(({ status }) => status !== 'ok').map(({ id }) => id);
    expect(refused).toContain('way-bpf');

    const options = '--workers 2 --epochs 6 --items 512 --item-cpu-us 3000';
    const target = {
      kind: 'command' as const,
      line: `python3 train.py --library ${folder}/libcudart.so.12 --report ${folder}/report.json ${options}`,
      folder,
      environment: [`LD_LIBRARY_PATH=${folder}`],
    };
    const request = { ...defaultCapture, mode: 'inside' as const, target };
    const run = answerOf(await app.call('start', { connection, request }));
    await expect.poll(() => app.lastOf(run.id)?.live?.inside, { timeout: 60_000 }).toBe(1);
    await expect.poll(() => app.lastOf(run.id)?.phase, { timeout: 90_000 }).toBe('recorded');
    const { baseFolder } = storedRun(stage, run.id);
    const { path } = answerOf(await app.call('fetch', { run: run.id }));
    const copies = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaMemcpyAsync'`;
    expect(value(path, copies)).toBe(6 * 16);

    const explained = runCli(['explain', path], stage.folder);
    expect(explained, explained.stderr).toMatchObject({ code: 0 });
    expect(explained.stdout).toMatch(/^The GPU has nothing to do for .* the loop waits for input/);
    expect(explained.stdout).toMatch(/^(HIGH|MEDIUM) .*\[slow-getitem, /m);
    expect(explained.stdout).toMatch(/burn \(.*train\.py:3[34]\): \d+/);
    expect(explained.stdout).toMatch(/^ {2}Fix: Move the work out of __getitem__/m);
    expect(explained.stdout).toMatch(/perf_event_open is refused: by a seccomp filter/);
    expect(explained.stdout).toMatch(/^GPU: computing .* idle /m);

    const copy = runCli(['explain', path, '--slowest', 'cudaMemcpyAsync'], stage.folder);
    expect(copy, copy.stderr).toMatchObject({ code: 0 });
    expect(copy.stdout).toMatch(/^cudaMemcpyAsync at \+/);
    expect(copy.stdout).toMatch(/^Where its time went\n {2}\S.* \d+(\.\d)?\s%/m);
    expect(copy.stdout).toMatch(/^ {2}Host memory +pageable \(exact\) /m);
    expect(copy.stdout).toMatch(/^What the GPU did for it\n.*Memcpy HtoD.* size: 512\.0 KiB/m);

    const settled = answerOf(await app.call('settle', { run: run.id, investigation: 1 }));
    expect(settled.cleanUp?.left).toEqual([]);
    // Children come before their parents: the last one is there as long as the container is.
    const top = stage.host.processes().at(-1);
    const inside = (path: string) => join(`/proc/${top}/root`, path);
    expect(existsSync(inside('/usr/bin'))).toBe(true);
    expect(existsSync(inside(baseFolder))).toBe(false);
    expect(readdirSync(inside('/root'))).toEqual([]);
    expect(readdirSync(inside('/var/tmp'))).toEqual([]);
  });
});
