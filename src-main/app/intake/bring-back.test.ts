import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CaptureOrigin } from '../../shared/remote/capture-origin.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import { type App, createApp } from '../app.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform, NO_DIAGNOSIS } from '../testing/fake-platform.ts';
import { FakeRemote } from '../testing/fake-remote.ts';

const origin: CaptureOrigin = {
  ...{ label: 'gpu-box', target: { name: 'gpu-box' }, kind: 'command' },
  settings: defaultCapture,
};
const RUN = '0123456789abcdef';
const run: Run = {
  id: RUN,
  host: 'gpu-box',
  address: 'ada@gpu.example:22',
  phase: 'bringing',
  what: 'python train.py',
  startedAt: '2026-11-22T10:14:00.000Z',
  mode: 'full',
  tone: 'ok',
  durationS: 60,
  maxSizeBytes: 2 ** 30,
  notices: [],
};

let folder: string;
let fetchedPath: string;
let library: FakeLibrary;
let remote: FakeRemote;
let fake: ReturnType<typeof fakePlatform>;
let app: App;
let settles: boolean;
/** Of the host that is captured next, where it was measured. */
let clock: CaptureOrigin['clock'];
/** Each resolves with what the step was, as a window sees it. */
let steps: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-bring-'));
  const runFolder = join(folder, 'remote', 'runs', RUN);
  mkdirSync(runFolder, { recursive: true });
  fetchedPath = join(runFolder, 'trace.db');
  settles = true;
  clock = undefined;
  steps = [];
  library = new FakeLibrary();
  remote = new FakeRemote({
    runs: async () => ok([run]),
    runTarget: async () => ok({ ...origin, ...(clock && { clock }) }),
    async fetch(_args, { progress }) {
      progress({ text: 'Downloading' });
      await new Promise((resolve) => setTimeout(resolve));
      const bytes = readFileSync(fetchedPath);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return ok({ path: fetchedPath, fileName: 'trace.db', sizeBytes: bytes.length, sha256 });
    },
    settle: async () =>
      settles
        ? ok({ cleanUp: { freedBytes: 7, left: [] } })
        : fail('state-unwritable', 'No room for the state.'),
    refuse: async () => ok(null),
  });
  fake = fakePlatform(library.handlers, remote);
  app = createApp(fake.platform, { dataFolder: folder });
  app.onEvent((name, payload) => {
    if (name === 'remote.run') steps.push((payload as Run).transfer?.step ?? '');
  });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As one window asks. */
function bring(call = new AbortController()) {
  const told: string[] = [];
  const context = {
    signal: call.signal,
    session: new AbortController().signal,
    progress: ({ text }: { text: string }) => void told.push(text),
  };
  return { told, call, result: app.handlers['remote.bringBack']({ run: RUN }, context) };
}

const copies = () => {
  const files = join(folder, 'files');
  return existsSync(files)
    ? readdirSync(files, { recursive: true }).filter((name) => String(name).endsWith('.db'))
    : [];
};

describe('a trace that was fetched', () => {
  beforeEach(() => writeFileSync(fetchedPath, 'a trace'));

  test('is checked, listed by what it is of, and only then gone from the host', async () => {
    const { told, result } = bring();
    expect(await result).toMatchObject({
      value: {
        investigation: {
          name: 'gpu-box: python train.py, 2026-11-22 10:14',
          machine: 'gpu-box',
          storage: 'copied',
          origin,
        },
        cleanUp: { freedBytes: 7 },
      },
    });
    expect(remote.asked).toEqual(['fetch', 'runs', 'runTarget', 'settle']);
    expect(told).toEqual(['Downloading', 'Checking the trace', 'Adding it to the library']);
    expect(steps).toEqual(['verifying', 'adding']);
    expect(copies()).toHaveLength(1);
    expect(existsSync(fetchedPath)).toBe(false);
  });

  test('becomes one with others, brought in line by how the clocks were measured', async () => {
    const measuredAt = '2026-11-22T10:13:00.000Z';
    const clocks = [{ offsetNs: 5e6, uncertaintyNs: 2e5, measuredAt }, undefined];
    const sources: number[] = [];
    const paths: string[] = [];
    for (const [at, measured] of clocks.entries()) {
      clock = measured;
      writeFileSync(fetchedPath, `trace ${at}`);
      const brought = await bring().result;
      if (!brought.ok) throw new Error(brought.error.message);
      sources.push(brought.value.investigation.id);
      paths.push(brought.value.investigation.path);
    }
    const merged = await app.handlers['library.merge']({ sources }, contextOf());
    expect(merged).toMatchObject({ ok: true });
    // From a terminal they are named by their paths.
    expect(await app.handlers['library.merge']({ sources: paths }, contextOf())).toMatchObject({
      ok: true,
    });
    expect(fake.asked).toEqual([{ clocks }, { clocks }]);
  });

  test('has what the analysis found in the list once it was opened, asked for nothing extra', async () => {
    const brought = await bring().result;
    if (!brought.ok) throw new Error(brought.error.message);
    const { id } = brought.value.investigation;
    expect(library.asked).not.toContain('noteFound');
    let changes = 0;
    app.onEvent((name) => {
      if (name === 'library.changed') changes++;
    });
    const opened = await app.handlers['trace.open']({ id }, contextOf());
    if (!opened.ok) throw new Error(opened.error.message);
    // It was left open by the adding.
    expect(fake.opened()).toBe(1);
    const { traceId } = opened.value;
    const before = changes;
    await app.handlers['trace.diagnose']({ traceId }, contextOf());
    const found = { kind: 'unclear', text: NO_DIAGNOSIS.headline };
    expect(library.list()).toMatchObject([{ id, found }]);
    expect(changes).toBe(before + 1);
    await app.handlers['trace.diagnose']({ traceId }, contextOf());
    expect(changes).toBe(before + 1);
  });

  test('stays where the library cannot take it, for the next try', async () => {
    library.broken = 'The library is locked.';
    expect(await bring().result).toMatchObject({ error: { code: 'library-unavailable' } });
    expect(remote.asked).not.toContain('settle');
    expect(remote.asked).not.toContain('refuse');
    expect(readFileSync(fetchedPath, 'utf8')).toBe('a trace');
    library.broken = undefined;
    expect(await bring().result).toMatchObject({ ok: true });
    expect(library.list()).toHaveLength(1);
    expect(copies()).toHaveLength(1);
  });

  test('is listed once where the run could not be settled', async () => {
    settles = false;
    const first = await bring().result;
    expect(first).toMatchObject({ ok: true });
    expect(existsSync(fetchedPath)).toBe(true);
    settles = true;
    expect(await bring().result).toMatchObject({ value: { cleanUp: { freedBytes: 7 } } });
    expect(library.list()).toHaveLength(1);
    expect(copies()).toHaveLength(1);
  });

  test('keeps the name that its user gave it meanwhile', async () => {
    settles = false;
    await bring().result;
    const [entry] = library.list();
    const id = entry?.id ?? 0;
    await library.handlers.change({ id, name: 'Mine' }, {} as never);
    expect(await bring().result).toMatchObject({ value: { investigation: { name: 'Mine' } } });
  });

  test('stays where the folder of copies cannot be made', async () => {
    writeFileSync(join(folder, 'files'), 'in the way');
    expect(await bring().result).toMatchObject({ error: { code: 'library-unavailable' } });
    expect(readFileSync(fetchedPath, 'utf8')).toBe('a trace');
  });

  test('that two windows ask for is added once, and both are told', async () => {
    const [one, two] = [bring(), bring()];
    const results = await Promise.all([one.result, two.result]);
    expect(results[0]).toEqual(results[1]);
    expect(two.told).toContain('Adding it to the library');
    expect(remote.asked.filter((name) => name === 'fetch')).toHaveLength(1);
  });
});

test('a damaged one is fetched again the next time', async () => {
  writeFileSync(fetchedPath, 'damaged');
  expect(await bring().result).toMatchObject({ error: { code: 'trace-damaged' } });
  expect(remote.asked).toEqual(['fetch', 'runs', 'refuse']);
  expect(library.list()).toEqual([]);
});

describe('cancelling', () => {
  beforeEach(() => writeFileSync(fetchedPath, 'endless'));

  test('while it is checked ends the process and keeps the file', async () => {
    const { told, call, result } = bring();
    await expect.poll(() => told).toContain('Checking the trace');
    await expect.poll(() => fake.alive.size).toBe(1);
    call.abort();
    expect(await result).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
    expect(existsSync(fetchedPath)).toBe(true);
    expect(remote.asked).toEqual(['fetch', 'runs']);
  });

  test('in one of two windows leaves the other what it waits for', async () => {
    const [one, two] = [bring(), bring()];
    await expect.poll(() => two.told).toContain('Checking the trace');
    one.call.abort();
    expect(await one.result).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(1);
    // The next to ask while the last is being cancelled begins anew.
    two.call.abort();
    const three = bring();
    expect(await two.result).toMatchObject({ error: { code: 'cancelled' } });
    await expect.poll(() => three.told).toContain('Checking the trace');
    three.call.abort();
    await three.result;
  });
});
