import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CatalogueEntry } from '../shared/contract/library-process-calls.ts';
import { type App, createApp } from './app.ts';
import { ownFolders } from './file-store/file-store.ts';
import { limitToFolders } from './paths/open-folders.ts';
import { FakeLibrary } from './testing/fake-library.ts';
import { contextOf, fakePlatform } from './testing/fake-platform.ts';

let folder: string;
let fake: ReturnType<typeof fakePlatform>;
let library: FakeLibrary;
let app: App;

const file = (name: string) => join(folder, 'home', name);

async function appOf(sampleFile?: string): Promise<App> {
  fake = fakePlatform(library.handlers);
  const limits = await limitToFolders({
    files: [],
    folders: [join(folder, 'link')],
    ownFolders: ownFolders(folder),
  });
  const options = { dataFolder: folder, ...(sampleFile !== undefined && { sampleFile }) };
  return createApp({ ...fake.platform, ...limits }, options);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'handlers-'));
  mkdirSync(join(folder, 'home'));
  symlinkSync(join(folder, 'home'), join(folder, 'link'));
  writeFileSync(file('a.db'), 'a');
  library = new FakeLibrary();
  app = await appOf();
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

async function add(path: string): Promise<number> {
  const added = await app.handlers['library.add']({ path }, contextOf());
  if (!added.ok) throw new Error(added.error.message);
  return added.value.investigation.id;
}

function entryOf(changes: Partial<CatalogueEntry>): CatalogueEntry {
  const fixed = { path: file('a.db'), name: 'x', format: 'x', sizeBytes: 6, synthetic: false };
  return { ...fixed, sample: false, storage: 'referenced', processes: [], ...changes };
}

/** Opens the investigation and cancels `later`, or at once. */
async function openAndCancel(id: number, later: () => Promise<void>) {
  const call = new AbortController();
  const opening = app.handlers['trace.open']({ id }, contextOf(new AbortController(), call));
  await later();
  call.abort();
  return opening;
}

describe('a diagnosis', () => {
  test('is given also where the library cannot keep it', async () => {
    const id = await add(file('a.db'));
    const opened = await app.handlers['trace.open']({ id }, contextOf());
    if (!opened.ok) throw new Error(opened.error.message);
    const { traceId } = opened.value;
    library.broken = 'The disk is full.';
    expect(await app.handlers['trace.diagnose']({ traceId }, contextOf())).toMatchObject({
      ok: true,
    });
    library.broken = undefined;
    expect(library.list()[0]).not.toHaveProperty('found');
  });

  test('of a file that is not in the library is kept nowhere', async () => {
    await add(file('a.db'));
    const path = file('a.db');
    const opened = await app.handlers['trace.openFile']({ path }, contextOf());
    if (!opened.ok) throw new Error(opened.error.message);
    const { traceId } = opened.value;
    expect(await app.handlers['trace.diagnose']({ traceId }, contextOf())).toMatchObject({
      ok: true,
    });
    expect(library.asked).not.toContain('noteFound');
  });
});

describe('a cancelled call leaves no process', () => {
  test('library.add, cancelled in the same tick', async () => {
    const call = new AbortController();
    const context = contextOf(new AbortController(), call);
    const adding = app.handlers['library.add']({ path: file('a.db') }, context);
    call.abort();
    expect(await adding).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
    expect(library.list()).toEqual([]);
  });

  test('trace.open of a file that was just added', async () => {
    const id = await add(file('a.db'));
    expect(fake.alive.size).toBe(1);
    const answer = await openAndCancel(id, async () => undefined);
    expect(answer).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
  });

  test('trace.openFile, when its caller goes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const session = new AbortController();
    await app.handlers['trace.openFile']({ path: file('a.db') }, contextOf(session));
    session.abort();
    vi.advanceTimersByTime(120_000);
    vi.useRealTimers();
    expect(fake.alive.size).toBe(0);
  });
});

describe('the folders a host is limited to', () => {
  test('may be reached through links, by any name', async () => {
    await add(join(folder, 'link', 'a.db'));
    await add(file('a.db'));
    expect(library.list()).toMatchObject([{ path: file('a.db') }]);
    const missing = { path: join(folder, 'link', 'gone.db') };
    // The fake process opens anything: that it was asked is the point.
    expect(await app.handlers['library.add'](missing, contextOf())).toMatchObject({ ok: true });
  });

  test('are named where a file is outside, with what to do', async () => {
    writeFileSync(join(folder, 'outside.db'), '');
    symlinkSync(join(folder, 'outside.db'), file('way-out.db'));
    for (const path of [join(folder, 'outside.db'), file('way-out.db')]) {
      const refused = await app.handlers['library.add']({ path }, contextOf());
      expect(refused).toMatchObject({ error: { code: 'path-not-allowed' } });
      const message = refused.ok ? '' : refused.error.message;
      expect(message).toContain(`(${join(folder, 'home')})`);
      expect(message).toContain(`npm start -- --root "${folder}"`);
      expect(message).toContain(`stalltrace serve --root "${folder}"`);
    }
  });

  test('hold for what another host put on the list', async () => {
    const path = join(folder, 'outside.db');
    writeFileSync(path, '');
    const { id } = library.put(entryOf({ path }));
    const opened = await app.handlers['trace.open']({ id }, contextOf());
    expect(opened).toMatchObject({ error: { code: 'path-not-allowed' } });
    expect(fake.alive.size).toBe(0);
  });
});

test('an entry that another host removes while it is opened stays removed', async () => {
  const id = await add(file('a.db'));
  const { handlers } = library;
  await app.close();
  const { platform } = fakePlatform({
    ...handlers,
    async noteOpened(args, context) {
      await handlers.remove({ id, trashFile: false }, context);
      return handlers.noteOpened(args, context);
    },
  });
  app = createApp(platform, { dataFolder: folder });
  expect(await app.handlers['trace.open']({ id }, contextOf())).toMatchObject({ ok: true });
  expect(library.list()).toEqual([]);
});

describe('the sample', () => {
  const sampleFile = () => join(folder, 'sample.db');
  const list = async () => {
    const listed = await app.handlers['library.list']({}, contextOf());
    if (!listed.ok) throw new Error(listed.error.message);
    return listed.value;
  };

  beforeEach(async () => {
    writeFileSync(sampleFile(), 'sample');
    app = await appOf(sampleFile());
  });

  test('opens wherever it is installed, and is described once it was read', async () => {
    const [sample] = await list();
    expect(sample).toMatchObject({ path: sampleFile(), sample: true });
    const opened = await app.handlers['trace.open']({ id: sample?.id ?? 0 }, contextOf());
    expect(opened).toMatchObject({ ok: true });
    await expect.poll(async () => (await list())[0]?.lengthNs).toBe(1);
  });

  test('is hashed soon after it was listed first', async () => {
    await list();
    await expect.poll(async () => (await list())[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is the sample also where its file was added by hand before', async () => {
    library.put(entryOf({ path: sampleFile(), name: 'sample.db' }));
    expect(await list()).toMatchObject([{ sample: true, name: expect.stringMatching(/^Sample/) }]);
  });

  test('of another installation stays on a shared list while it exists', async () => {
    const other = join(folder, 'other-sample.db');
    writeFileSync(other, 'sample');
    library.put(entryOf({ path: other, name: 'Sample', sample: true }));
    expect((await list()).map(({ path }) => path).sort()).toEqual([other, sampleFile()].sort());
    await app.close();
    rmSync(other);
    app = await appOf(sampleFile());
    expect((await list()).map(({ path }) => path)).toEqual([sampleFile()]);
  });

  test('cannot be removed', async () => {
    const [sample] = await list();
    const id = sample?.id ?? 0;
    expect(
      await app.handlers['library.remove']({ id, trashFile: false }, contextOf()),
    ).toMatchObject({
      error: { code: 'sample-stays' },
    });
    expect(await list()).toHaveLength(1);
  });

  test('leaves the list usable where the temporary folder is not', async () => {
    vi.stubEnv('TMPDIR', '/nonexistent');
    expect(await list()).toHaveLength(1);
    await expect.poll(() => fake.opened()).toBe(1);
    vi.unstubAllEnvs();
  });
});
