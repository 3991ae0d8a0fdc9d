import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processIdentityOf } from '../system/process-identity.ts';
import { copyPrefix } from '../trace/copy-owner.ts';
import { OpenTraces } from './open-traces.ts';
import { SocketFolder } from './temporary-folder.ts';
import { contextOf, fakePlatform } from './testing/fake-platform.ts';

let folder: string;
let lost: string[];
let fake: ReturnType<typeof fakePlatform>;
let traces: OpenTraces;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'open-traces-'));
  for (const name of ['good.db', 'other.db', 'slow.db', 'bad.db']) {
    writeFileSync(join(folder, name), name);
  }
  lost = [];
  fake = fakePlatform();
  traces = new OpenTraces(fake.platform, scratch(), (traceId) => lost.push(traceId));
});
afterEach(async () => {
  vi.useRealTimers();
  await traces.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

const scratch = () => join(folder, 'scratch');
const file = (name: string) => join(folder, name);

async function open(name = 'good.db'): Promise<string> {
  const opened = await traces.open(file(name), contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.id;
}

describe('open traces', () => {
  test('a cancelled import loses its process and its private copy', async () => {
    const call = new AbortController();
    const opening = traces.open(file('slow.db'), contextOf(new AbortController(), call));
    await expect.poll(() => existsSync(scratch()) && readdirSync(scratch()).length).toBe(1);
    call.abort();
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
    await expect.poll(() => readdirSync(scratch())).toEqual([]);
  });

  test('one that is cancelled at once starts no process', async () => {
    const call = new AbortController();
    const opening = traces.open(file('good.db'), contextOf(new AbortController(), call));
    call.abort();
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.opened()).toBe(0);
    expect(fake.alive.size).toBe(0);
  });

  test('closing everything ends an import too and leaves nothing behind', async () => {
    const opening = traces.open(file('slow.db'), contextOf());
    await expect.poll(() => existsSync(scratch()) && readdirSync(scratch()).length).toBe(1);
    await traces.closeAll();
    expect(await opening).toMatchObject({ error: { code: 'process-lost' } });
    expect(readdirSync(scratch())).toEqual([]);
  });

  test('what a killed host left is removed', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const stale = join(scratch(), `${copyPrefix({ ...processIdentityOf(process.pid), pid })}left`);
    const own = join(scratch(), `${copyPrefix(processIdentityOf(process.pid))}mine`);
    for (const path of [stale, own]) mkdirSync(path, { recursive: true });
    await open();
    expect([existsSync(stale), existsSync(own)]).toEqual([false, true]);
  });

  test('a file that is no trace leaves no process', async () => {
    expect(await traces.open(file('bad.db'), contextOf())).toMatchObject({
      error: { code: 'file-not-a-trace' },
    });
    expect(fake.alive.size).toBe(0);
  });

  test('a process that ends by itself is reported once, one that is closed is not', async () => {
    const first = await open();
    const second = await open();
    traces.close(second);
    expect(lost).toEqual([]);
    for (const launched of [...fake.alive]) launched.kill();
    expect(lost).toEqual([first]);
    expect(traces.find(first)).toMatchObject({ error: { code: 'not-open' } });
  });
});

describe('a trace that nobody reads', () => {
  test('opened only to be added, serves the opening that follows, or is closed', async () => {
    const id = await open();
    traces.keepWarm(id);
    expect(await traces.takeIdle(file('other.db'))).toBeUndefined();
    expect(await traces.takeIdle(file('good.db'))).toMatchObject({ value: { id } });
    expect(await traces.takeIdle(file('good.db'))).toBeUndefined();
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
    traces.keepWarm(await open());
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
  });

  test.each([
    ['replaced by another file', () => replace('good.db', 'GOOD.DB')],
    ['written to', () => writeFileSync(file('good.db'), 'longer than before')],
    ['continued in its log', () => writeFileSync(file('good.db-wal'), 'pages')],
  ])('is not what the file holds once that was %s', async (_name, change) => {
    traces.keepWarm(await open());
    change();
    expect(await traces.takeIdle(file('good.db'))).toBeUndefined();
  });

  test('is one at a time, however many files are added', async () => {
    traces.keepWarm(await open());
    replace('good.db', 'new');
    traces.keepWarm(await open());
    traces.keepWarm(await open('other.db'));
    expect(fake.alive.size).toBe(1);
  });

  test('a reader who comes back in time keeps the trace, one who does not loses it', async () => {
    const id = await open();
    const [before, after] = [new AbortController(), new AbortController()];
    traces.useBy(id, before.signal);
    before.abort();
    vi.advanceTimersByTime(30_000);
    traces.useBy(id, after.signal);
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
    after.abort();
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(0);
    expect(lost).toEqual([]);
  });

  test('a page that was reloaded takes over what the one before it left', async () => {
    const id = await open();
    const [before, after] = [new AbortController(), new AbortController()];
    traces.useBy(id, before.signal);
    expect(await traces.takeIdle(file('good.db'))).toBeUndefined();
    before.abort();
    expect(await traces.takeIdle(file('good.db'))).toMatchObject({ value: { id } });
    traces.useBy(id, after.signal);
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
  });

  test('a reader who left while the file was opening does not keep it', async () => {
    const gone = new AbortController();
    gone.abort();
    traces.useBy(await open(), gone.signal);
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(0);
  });

  test('can no longer be taken when a cleaner removed its socket', async () => {
    const base = mkdtempSync(join(folder, 'tmp-'));
    const own = new OpenTraces(
      fake.platform,
      scratch(),
      () => undefined,
      new SocketFolder(() => [base]),
    );
    const opened = await own.open(file('good.db'), contextOf());
    expect(opened.ok).toBe(true);
    if (opened.ok) own.keepWarm(opened.value.id);
    for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true });
    expect(await own.takeIdle(file('good.db'))).toBeUndefined();
    expect(await own.open(file('good.db'), contextOf())).toMatchObject({ ok: true });
    await own.closeAll();
    expect(readdirSync(base)).toEqual([]);
  });
});

/** Another file of the same size under the same name, as `mv` leaves it. */
function replace(name: string, content: string): void {
  writeFileSync(file('next'), content);
  renameSync(file('next'), file(name));
}
