import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeWith } from '../../../test/support/requirements.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import { processIdentityOf } from '../../system/process-identity.ts';
import { openHostStore } from './host-store.ts';
import { lockRun } from './run-lock.ts';
import type { RunRecord } from './run-record.ts';
import { openRunStore } from './run-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function aRun(id: string, startedAt = '2026-01-01T00:00:00.000Z'): RunRecord {
  return {
    v: 1,
    id,
    label: 'gpu',
    address: 'me@gpu:22',
    target: { name: 'gpu' },
    bootId: 'b',
    startedAt,
    what: 'the whole machine',
    request: { ...defaultCapture, target: { kind: 'machine' } },
    baseFolder: '/tmp/stalltrace-0',
    agentPath: '/tmp/stalltrace-0/agent/x/stalltrace-agent',
    traceFile: '/tmp/stalltrace-0/captures/x/x.trace.db',
    asRoot: true,
    phase: 'starting',
    tone: 'ok',
  };
}

describe('saved hosts', () => {
  test('are kept, changed and forgotten, for their user alone', async () => {
    const store = openHostStore(join(folder, 'remote'));
    const saved = await store.save({ label: 'Lab', target: { name: 'gpu1', port: 2222 } });
    if (!saved.ok) throw new Error(saved.error.message);
    const id = saved.value.id.replace('saved:', '');
    expect(await store.save({ id, label: 'Lab 1', target: { name: 'gpu1' } })).toMatchObject({
      ok: true,
      value: { id: saved.value.id, label: 'Lab 1', target: { name: 'gpu1' } },
    });
    expect(await openHostStore(join(folder, 'remote')).list()).toHaveLength(1);
    expect(statSync(join(folder, 'remote')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'remote/hosts.json')).mode & 0o777).toBe(0o600);
    expect((await store.forget(id)).ok).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await store.forget(id)).toMatchObject({ error: { code: 'not-found' } });
  });

  test('changes at the same time are all kept', async () => {
    const store = openHostStore(folder);
    const labels = Array.from({ length: 20 }, (_, index) => `host ${index}`);
    await Promise.all(labels.map((label) => store.save({ label, target: { name: 'a' } })));
    expect((await store.list()).map(({ label }) => label)).toEqual(labels);
  });

  test('remembers when a host was connected to', async () => {
    const store = openHostStore(folder);
    await store.save({ label: 'Lab', target: { name: 'gpu1' } });
    await store.noteConnected({ name: 'gpu1' }, new Date(0));
    await store.noteConnected({ name: 'alias' }, new Date(1000));
    expect((await store.list())[0]?.lastConnected).toBe('1970-01-01T00:00:00.000Z');
    expect(await store.lastConnected()).toEqual({ alias: '1970-01-01T00:00:01.000Z' });
  });

  test('a damaged file is set aside', async () => {
    writeFileSync(join(folder, 'hosts.json'), '{"v":1,"hosts":[{"id":7}]}');
    const store = openHostStore(folder);
    expect(await store.list()).toEqual([]);
    expect(readFileSync(join(folder, 'hosts.json.damaged'), 'utf8')).toContain('7');
    expect((await store.save({ label: 'a', target: { name: 'a' } })).ok).toBe(true);
  });

  test('a folder that is none is told in a sentence', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = openHostStore(join(folder, 'file'));
    expect(await store.save({ label: 'a', target: { name: 'a' } })).toMatchObject({
      error: { code: 'state-unwritable', message: expect.stringContaining("can't be written") },
    });
  });
});

describe('captures', () => {
  test('keep nothing of what a command was called with, or found in its environment', async () => {
    const store = openRunStore(folder);
    const line = 'HF_TOKEN=hunter2 python train.py --token hunter2';
    const environment = ['WANDB_API_KEY=hunter2'];
    const target = { kind: 'command' as const, line, folder: '/data', environment };
    const run = { ...aRun('00000001'), request: { ...defaultCapture, target } };
    expect((await store.write(run)).ok).toBe(true);
    const kept = readFileSync(join(folder, 'runs/00000001/run.json'), 'utf8');
    expect(kept).not.toContain('hunter2');
    expect(await store.read('00000001')).toMatchObject({
      request: { target: { kind: 'command', line: 'python train.py …', folder: '/data' } },
    });
  });

  test('are kept until they are done with, newest first', async () => {
    const store = openRunStore(folder);
    await store.write(aRun('aaaaaaaa'));
    await store.write(aRun('bbbbbbbb', '2026-01-02T00:00:00.000Z'));
    mkdirSync(join(folder, 'runs/not-a-run'));
    writeFileSync(join(folder, 'runs/not-a-run/run.json'), '{}');
    expect((await store.list()).map(({ id }) => id)).toEqual(['bbbbbbbb', 'aaaaaaaa']);
    expect((await store.read('aaaaaaaa'))?.what).toBe('the whole machine');
    expect(await store.read('../../etc')).toBeUndefined();
    await store.remove('bbbbbbbb');
    expect(existsSync(store.folderOf('bbbbbbbb'))).toBe(false);
    expect(await store.list()).toHaveLength(1);
    expect(existsSync(join(folder, 'runs/not-a-run/run.json'))).toBe(true);
  });

  test('a damaged or foreign record is no run', async () => {
    const store = openRunStore(folder);
    await store.write(aRun('aaaaaaaa'));
    writeFileSync(join(store.folderOf('aaaaaaaa'), 'run.json'), '{"v":1');
    mkdirSync(store.folderOf('cccccccc'));
    writeFileSync(join(store.folderOf('cccccccc'), 'run.json'), JSON.stringify(aRun('dddddddd')));
    expect(await store.list()).toEqual([]);
    expect(readdirSync(store.folderOf('aaaaaaaa'))).toEqual(['run.json.damaged']);
  });

  test('leave no part behind where they cannot be written', async () => {
    const store = openRunStore(folder);
    // Root may write anywhere, but nobody can put a file in a folder's place.
    mkdirSync(join(store.folderOf('aaaaaaaa'), 'run.json'), { recursive: true });
    expect(await store.write(aRun('aaaaaaaa'))).toMatchObject({
      error: { code: 'state-unwritable' },
    });
    expect(readdirSync(store.folderOf('aaaaaaaa'))).toEqual(['run.json']);
  });
});

function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

describe('the lock of a run', () => {
  const lockFile = () => join(folder, 'run/lock');

  test('is held by one at a time', async () => {
    const first = await lockRun(join(folder, 'run'));
    if (!first.ok) throw new Error(first.error.message);
    expect(await lockRun(join(folder, 'run'))).toMatchObject({ error: { code: 'run-busy' } });
    await first.value.release();
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
    expect((await lockRun(join(folder, 'run'))).ok).toBe(true);
  });

  test('of a process that has ended is taken over, by one of many', async () => {
    const ended = JSON.stringify({ ...processIdentityOf(), pid: endedPid() });
    mkdirSync(join(folder, 'run'));
    for (let round = 0; round < 100; round++) {
      writeFileSync(lockFile(), ended);
      const tries = Array.from({ length: 16 }, () => lockRun(join(folder, 'run')));
      expect((await Promise.all(tries)).filter(({ ok }) => ok)).toHaveLength(1);
      expect(readdirSync(join(folder, 'run'))).toEqual(['lock']);
    }
  });

  test('of a process that has ended is left to the one who takes it over just now', async () => {
    const ended = JSON.stringify({ ...processIdentityOf(), pid: endedPid() });
    mkdirSync(join(folder, 'run'));
    writeFileSync(lockFile(), ended);
    const guard = `${lockFile()}.${shortHash(ended)}`;
    writeFileSync(guard, JSON.stringify(processIdentityOf()));
    expect(await lockRun(join(folder, 'run'))).toMatchObject({ error: { code: 'run-busy' } });
    expect(readFileSync(lockFile(), 'utf8')).toBe(ended);
    rmSync(guard);
    expect((await lockRun(join(folder, 'run'))).ok).toBe(true);
  });

  test('of two processes that have ended, the second over the lock of the first, is taken over', async () => {
    const identity = { ...processIdentityOf(), pid: endedPid() };
    mkdirSync(join(folder, 'run'));
    writeFileSync(lockFile(), JSON.stringify(identity));
    const guard = `${lockFile()}.${shortHash(JSON.stringify(identity))}`;
    writeFileSync(guard, JSON.stringify({ ...identity, nonce: 'second' }));
    expect((await lockRun(join(folder, 'run'))).ok).toBe(true);
    expect(readdirSync(join(folder, 'run'))).toEqual(['lock']);
  });

  // Elsewhere nothing tells such a process from the one before.
  describeWith(['linux'], 'of a process whose number came again', () => {
    test('is taken over', async () => {
      mkdirSync(join(folder, 'run'));
      writeFileSync(lockFile(), JSON.stringify({ ...processIdentityOf(), startTime: '1' }));
      expect((await lockRun(join(folder, 'run'))).ok).toBe(true);
    });
  });

  test('of another machine is not', async () => {
    mkdirSync(join(folder, 'run'));
    writeFileSync(
      lockFile(),
      JSON.stringify({ ...processIdentityOf(), place: 'elsewhere', pid: 4 }),
    );
    expect(await lockRun(join(folder, 'run'))).toMatchObject({ error: { code: 'run-busy' } });
  });

  test('that was taken over is not released by its former owner', async () => {
    const first = await lockRun(join(folder, 'run'));
    if (!first.ok) throw new Error(first.error.message);
    writeFileSync(lockFile(), JSON.stringify(processIdentityOf()));
    await first.value.release();
    expect(existsSync(lockFile())).toBe(true);
  });
});
