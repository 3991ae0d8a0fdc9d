import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import type { LiveFigures, Run } from '../../shared/remote/run.ts';
import { ok } from '../../shared/rpc/result.ts';
import type { RunRecord } from '../state/run-record.ts';
import { openRunStore } from '../state/run-store.ts';
import { type HeldRun, HeldRuns } from './held-runs.ts';

const ID = 'abcdef0123456789';
const record: RunRecord = {
  v: 1,
  id: ID,
  label: 'gpu',
  address: 'me@gpu:22',
  target: { name: 'gpu' },
  bootId: 'b',
  startedAt: '2026-01-01T00:00:00.000Z',
  what: 'the whole machine',
  request: { ...defaultCapture, target: { kind: 'machine' } },
  baseFolder: '/tmp/x',
  agentPath: '/tmp/x/agent',
  traceFile: '/tmp/x/x.trace.db',
  asRoot: true,
  phase: 'recording',
  tone: 'ok',
};

let folder: string;
let told: Run[];
let runs: HeldRuns;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-held-'));
  told = [];
  runs = new HeldRuns(openRunStore(folder), (name, payload) => {
    if (name === 'run') told.push(payload as Run);
  });
  await runs.store.write(record);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

async function held(): Promise<HeldRun> {
  const holding = await runs.hold(ID);
  if (!holding.ok) throw new Error(holding.error.message);
  return holding.value;
}

function live(sizeBytes: number): LiveFigures {
  return { sizeBytes } as LiveFigures;
}

describe('runs in hand', () => {
  test('end on the disk as they were changed last, however long a write takes', async () => {
    const store = openRunStore(folder);
    const delays = [20];
    const slow: typeof store = {
      ...store,
      async write(changed) {
        await setTimeout(delays.pop() ?? 0);
        return store.write(changed);
      },
    };
    runs = new HeldRuns(slow, () => undefined);
    const run = await held();
    await Promise.all([
      runs.change(run, { phase: 'recorded' }),
      runs.change(run, { phase: 'bringing' }),
    ]);
    expect((await store.read(ID))?.phase).toBe('bringing');
    const last = runs.change(run, { phase: 'brought' });
    await runs.remove(run, {});
    expect(await last).toEqual(ok(null));
    expect(await store.read(ID)).toBeUndefined();
  });

  test('are told of four times a second at most, the last figures always', async () => {
    const run = await held();
    vi.useFakeTimers();
    for (let at = 1; at <= 100; at++) {
      runs.show(run, { live: live(at) });
      await vi.advanceTimersByTimeAsync(20);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.length).toBeGreaterThan(6);
    expect(told.length).toBeLessThan(11);
    expect(told.at(-1)).toMatchObject({ live: { sizeBytes: 100 }, bytesOnHost: 100 });
    await runs.change(run, { phase: 'recorded', bytesOnHost: 7 });
    expect(told.at(-1)).toMatchObject({ phase: 'recorded', bytesOnHost: 7 });
  });

  test('have one thing done to them at a time', async () => {
    const run = await held();
    let end: () => void = () => undefined;
    const first = runs.during(run, 'stopped', async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return ok(1);
    });
    expect(await runs.during(run, 'abandoned', async () => ok(2))).toMatchObject({
      error: { code: 'run-busy', message: expect.stringContaining('is being stopped') },
    });
    expect(await runs.hold(ID)).toMatchObject({ error: { code: 'run-busy' } });
    let released = false;
    const releasing = runs.release(run).then(() => (released = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(released).toBe(false);
    end();
    expect(await first).toEqual(ok(1));
    await releasing;
    expect(readdirSync(join(folder, 'runs', ID))).toEqual(['run.json']);
  });

  test('of another process are shown, not touched', async () => {
    await held();
    const other = new HeldRuns(openRunStore(folder), () => undefined);
    expect(await other.hold(ID)).toMatchObject({ error: { code: 'run-busy' } });
    expect(await other.list()).toMatchObject([{ id: ID, phase: 'recording' }]);
    expect(await other.hold('0123456789abcdef')).toMatchObject({ error: { code: 'no-such-run' } });
  });

  test('say how much of a trace is here, also after the app was closed', async () => {
    await runs.store.write({ ...record, phase: 'bringing' });
    const transfer = {
      v: 1,
      file: { bytes: 10, modifiedUnixNs: '1', inode: '1' },
      frameBytes: 4,
      frames: ['a'.repeat(64), null, 'b'.repeat(64)],
    };
    writeFileSync(join(folder, 'runs', ID, 'transfer.json'), JSON.stringify(transfer));
    expect(await runs.list()).toMatchObject([{ transfer: { totalBytes: 10, doneBytes: 8 } }]);
  });

  test('are gone from the disk once they are done with', async () => {
    const run = await held();
    await runs.remove(run, { phase: 'cleaned' });
    expect(told.at(-1)).toMatchObject({ phase: 'cleaned', bytesOnHost: 0 });
    expect(await runs.list()).toEqual([]);
    expect(readdirSync(join(folder, 'runs'))).toEqual([]);
  });
});
