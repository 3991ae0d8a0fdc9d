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
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { processIdentityOf } from '../../system/process-identity.ts';
import { SocketFolder } from '../../system/temporary-folder.ts';
import { copyPrefix } from '../../trace/sqlite/copy-owner.ts';
import { contextOf, fakePlatform, NEVER_ANSWERED } from '../testing/fake-platform.ts';
import { askTrace } from './ask-trace.ts';
import { defaultLimits, tooMany } from './open-limits.ts';
import { OpenTraces } from './open-traces.ts';

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
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
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

describe('more traces than a host keeps in memory', () => {
  const limits = { ...defaultLimits(), processes: 6, unwatched: 2, opening: 2, putAway: 5 };
  const session = new AbortController();

  beforeEach(async () => {
    await traces.closeAll();
    const onLost = (traceId: string) => lost.push(traceId);
    traces = new OpenTraces(fake.platform, scratch(), onLost, undefined, limits);
  });

  /** As a page opens it, which then looks at it. */
  async function look(reader = session, name = 'good.db'): Promise<string> {
    const id = await open(name);
    traces.useBy(id, reader.signal);
    return id;
  }

  const ask = (id: string, reader = session) =>
    askTrace(traces, id, contextOf(reader), ({ client }) =>
      client.call('trace.operations', { bySize: false }),
    );

  test('are put away, the one that was used longest ago first, and come back when asked', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 8; count++) ids.push(await look());
    await expect.poll(() => fake.alive.size).toBe(3);
    expect(fake.opened()).toBe(8);
    for (const id of ids.slice(-3)) expect(await ask(id)).toEqual({ ok: true, value: [] });
    expect(fake.opened()).toBe(8);
    expect(await ask(ids[3] ?? '')).toEqual({ ok: true, value: [] });
    expect(fake.opened()).toBe(9);
    await expect.poll(() => fake.alive.size).toBe(3);
    expect(lost).toEqual([]);
  });

  test('are read once for all who ask at the same time', async () => {
    const first = await look();
    for (let count = 0; count < 4; count++) await look();
    await expect.poll(() => fake.alive.size).toBe(3);
    const answers = await Promise.all([ask(first), ask(first), ask(first)]);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(fake.opened()).toBe(6);
  });

  test('keep the roles that were set', async () => {
    const first = await look();
    const found = traces.find(first);
    if (!found.ok) throw new Error(found.error.message);
    const roles = [{ pid: 7, role: 'main' as const }];
    const set = await found.value.client.call('setRoles', { roles });
    expect(set.ok).toBe(true);
    for (let count = 0; count < 4; count++) await look();
    await expect.poll(() => fake.alive.size).toBe(3);
    fake.asked.length = 0;
    expect((await ask(first)).ok).toBe(true);
    expect(fake.asked).toEqual([{ roles }]);
  });

  test('lose none at which somebody looks, nor one that is being asked', async () => {
    const readers = Array.from({ length: 3 }, () => new AbortController());
    const watched = await Promise.all(readers.map((reader) => look(reader)));
    const busy = await look();
    const found = traces.find(busy);
    if (!found.ok) throw new Error(found.error.message);
    const asked = found.value.client.call('trace.explain', { call: NEVER_ANSWERED });
    for (let count = 0; count < 2; count++) await look();
    expect(fake.alive.size).toBe(6);
    const before = fake.opened();
    for (const [at, id] of watched.entries()) await ask(id, readers[at]);
    expect(fake.opened()).toBe(before);
    traces.close(busy);
    expect(await asked).toMatchObject({ error: { code: 'disconnected' } });
  });

  test('lose none that was drawn just now, beside another one perhaps; and do a little later', async () => {
    const drawn = await look();
    await traces.openTiles(drawn, 'runs=0.-1.0.0.1');
    for (let count = 0; count < 4; count++) await look();
    // One is on the screen, two are kept unwatched, and the one that was drawn.
    await expect.poll(() => fake.alive.size).toBe(4);
    const later = performance.now() + 6_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
    vi.advanceTimersByTime(6_000);
    await expect.poll(() => fake.alive.size).toBe(3);
    clock.mockRestore();
    const before = fake.opened();
    await ask(drawn);
    expect(fake.opened()).toBe(before + 1);
  });

  test('are refused in one sentence where somebody looks at each', async () => {
    const readers = Array.from({ length: 6 }, () => new AbortController());
    for (const reader of readers) await look(reader);
    const refused = await traces.open(file('good.db'), contextOf());
    expect(refused).toMatchObject({ error: { code: 'too-many-open' } });
    expect(fake.alive.size).toBe(6);
    readers[0]?.abort();
    readers[1]?.abort();
    readers[2]?.abort();
    expect(await traces.open(file('good.db'), contextOf())).toMatchObject({ ok: true });
  });

  test('are remembered up to a number, the oldest is told to open again', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 12; count++) ids.push(await look());
    await expect.poll(() => fake.alive.size).toBe(3);
    expect(await ask(ids[0] ?? '')).toMatchObject({ error: { code: 'not-open' } });
    expect(await ask(ids[5] ?? '')).toMatchObject({ ok: true });
  });

  test('whose file changed keep their process; one that changed later is lost in one sentence', async () => {
    const changed = await look(session, 'other.db');
    replace('other.db', 'OTHER.DB');
    const first = await look();
    for (let count = 0; count < 5; count++) await look();
    await expect.poll(() => fake.alive.size).toBe(4);
    expect(await ask(changed)).toMatchObject({ ok: true });
    replace('good.db', 'GOOD.DB');
    expect(await ask(first)).toMatchObject({ error: { code: 'process-lost' } });
    expect(lost).toEqual([first]);
  });

  describe('while the first is read again', () => {
    let first: string;
    beforeEach(async () => {
      first = await look();
      for (let count = 0; count < 4; count++) await look();
      await expect.poll(() => fake.alive.size).toBe(3);
      fake.reading.isEndless = true;
    });
    const isReading = () => expect.poll(() => fake.reading.begun).toBe(1);
    /** Of the three, one was put away for the one that is read again, unless it was for tiles. */
    const isEnded = (left = 2) => expect.poll(() => fake.alive.size).toBe(left);
    function askFor(call: AbortController, progress: CallContext['progress'] = () => undefined) {
      const context = { ...contextOf(session, call), progress };
      return askTrace(traces, first, context, ({ client }) =>
        client.call('trace.operations', { bySize: false }),
      );
    }

    test('closing it ends that', async () => {
      const asked = askFor(new AbortController());
      await isReading();
      traces.close(first);
      await isEnded();
      expect(await asked).toMatchObject({ error: { code: 'process-lost' } });
    });

    test('whoever cancels does so for himself; with the last one it ends, and is not lost', async () => {
      const calls = [new AbortController(), new AbortController()] as const;
      const told: string[] = [];
      const asked = calls.map((call) => askFor(call, ({ text }) => void told.push(text ?? '')));
      await isReading();
      await expect.poll(() => told).toEqual(['Reading', 'Reading']);
      calls[0].abort();
      expect(await asked[0]).toMatchObject({ error: { code: 'cancelled' } });
      expect(fake.alive.size).toBe(3);
      calls[1].abort();
      expect(await asked[1]).toMatchObject({ error: { code: 'cancelled' } });
      await isEnded();
      fake.reading.isEndless = false;
      expect(await ask(first)).toMatchObject({ ok: true });
      expect(lost).toEqual([]);
    });

    test('a page that no longer waits for tiles ends it too', async () => {
      const page = new AbortController();
      const tiles = traces.openTiles(first, 'runs=0.-1.0.0.1', page.signal);
      await isReading();
      expect(fake.alive.size).toBe(4);
      page.abort();
      expect(await tiles).toMatchObject({ ok: false });
      await isEnded(3);
    });

    test('one that waits for its turn to be leaves when it is cancelled', async () => {
      const opening = [1, 2].map(() => new AbortController());
      for (const call of opening)
        void traces.open(file('slow.db'), contextOf(new AbortController(), call));
      await expect.poll(() => fake.alive.size).toBe(5);
      const call = new AbortController();
      const asked = askFor(call);
      call.abort();
      expect(await asked).toMatchObject({ error: { code: 'cancelled' } });
      for (const each of opening) each.abort();
      await isEnded();
      fake.reading.isEndless = false;
      expect(await ask(first)).toMatchObject({ ok: true });
    });
  });

  test('that are read again count as those that are opened', async () => {
    const first = await look();
    for (let count = 0; count < 4; count++) await look();
    await expect.poll(() => fake.alive.size).toBe(3);
    const readers = Array.from({ length: 5 }, () => new AbortController());
    for (const reader of readers) await look(reader);
    expect(fake.alive.size).toBe(6);
    const late = new AbortController();
    const refused = await ask(first, late);
    expect(refused).toMatchObject({ error: { code: 'process-lost' } });
    expect(fake.alive.size).toBe(6);
    expect(lost).toEqual([]);
    readers[0]?.abort();
    expect(await ask(first, late)).toMatchObject({ ok: true });
    expect(fake.alive.size).toBe(6);
  });

  test('that are opened at once are read a few at a time', async () => {
    const calls = Array.from({ length: 5 }, () => new AbortController());
    const opening = calls.map((call) =>
      traces.open(file('slow.db'), contextOf(new AbortController(), call)),
    );
    await expect.poll(() => fake.alive.size).toBe(2);
    // One that waits for its turn leaves when it is cancelled.
    calls[4]?.abort();
    expect(await opening[4]).toMatchObject({ error: { code: 'cancelled' } });
    calls[0]?.abort();
    await opening[0];
    await expect.poll(() => fake.alive.size).toBe(2);
    for (const call of calls) call.abort();
    for (const opened of opening)
      expect(await opened).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
  });

  test('that take more memory than they may are fewer', () => {
    const trace = (usedAt: number, memoryBytes: number, isFree = true) => ({
      ...{ usedAt, memoryBytes, isFree },
    });
    const small = { ...limits, unwatched: 9, memoryBytes: 100 };
    expect(tooMany([trace(1, 50), trace(2, 40)], small)).toEqual([]);
    const [old, young, watched] = [trace(1, 50), trace(2, 40), trace(0, 30, false)];
    expect(tooMany([young, watched, old], small)).toEqual([old]);
    expect(tooMany([trace(9, 500, false), young, old], small)).toEqual([old, young]);
  });
});

/** Another file of the same size under the same name, as `mv` leaves it. */
function replace(name: string, content: string): void {
  writeFileSync(file('next'), content);
  renameSync(file('next'), file(name));
}
