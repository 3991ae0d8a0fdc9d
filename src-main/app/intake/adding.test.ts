import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import { defaultSettings } from '../../shared/library/settings.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail } from '../../shared/rpc/result.ts';
import { type App, createApp } from '../app.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';

let folder: string;
let library: FakeLibrary;
let app: App;
let events: string[];

const file = (name: string) => join(folder, name);
const stored = () => readdirSync(file('data/files'), { recursive: true }).map(String).sort();

function start(more: Partial<HostPlatform> = {}): void {
  const { platform } = fakePlatform(library.handlers);
  app = createApp({ ...platform, ...more }, { dataFolder: file('data') });
  app.onEvent((name) => events.push(name));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adding-'));
  mkdirSync(file('data'));
  library = new FakeLibrary();
  events = [];
  start();
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

function make(name: string, content = name): string {
  writeFileSync(file(name), content);
  return file(name);
}

/** 100 bytes of a header that says Stalltrace's application id. */
function makeCapture(name: string): string {
  const bytes = Buffer.alloc(100, name);
  bytes.write('STLT', 68, 'latin1');
  writeFileSync(file(name), bytes);
  return file(name);
}

async function add(path: string, copy?: boolean): Promise<AddedInvestigation> {
  const args = { path, ...(copy !== undefined && { copy }) };
  const added = await app.handlers['library.add'](args, contextOf());
  if (!added.ok) throw new Error(added.error.message);
  return added.value;
}

async function remove(id: number): Promise<void> {
  const removed = await app.handlers['library.remove']({ id, trashFile: false }, contextOf());
  if (!removed.ok) throw new Error(removed.error.message);
}

const locate = (id: number, path: string, acceptDifferent = false) =>
  app.handlers['library.locate']({ id, path, acceptDifferent }, contextOf());

describe('what is copied', () => {
  test('is not a file that stands alone', async () => {
    const { investigation } = await add(make('a.db'));
    expect(investigation).toMatchObject({ path: file('a.db'), storage: 'referenced' });
    expect(existsSync(file('data/files'))).toBe(false);
  });

  test.each(['-wal', '-journal'])('is a file with a %s, as one file', async (suffix) => {
    const path = make('a.db');
    make(`a.db${suffix}`, 'log');
    const { investigation } = await add(path, false);
    expect(investigation.storage).toBe('copied');
    expect(readFileSync(investigation.path, 'utf8')).toBe('a.dblog');
    expect(readdirSync(dirname(investigation.path))).toEqual(['a.db']);
  });

  test('is not a file whose log is empty', async () => {
    const path = make('a.db');
    make('a.db-wal', '');
    expect((await add(path)).investigation.storage).toBe('referenced');
  });

  test('is a capture of our own', async () => {
    const { investigation } = await add(makeCapture('capture.db'));
    expect(investigation).toMatchObject({ storage: 'copied', name: 'capture.db' });
    expect(investigation.folder).toBe(basename(folder));
    expect(investigation.sha256?.slice(0, 16)).toBe(basename(dirname(investigation.path)));
  });

  test('is read meanwhile, once, and is then the trace of its copy', async () => {
    const { platform, asked, opened } = fakePlatform(library.handlers);
    app = createApp(platform, { dataFolder: file('data') });
    const { investigation } = await add(makeCapture('capture.db'));
    expect(asked).toEqual([{ moved: investigation.path }]);
    rmSync(file('capture.db'));
    const shown = await app.handlers['trace.open']({ id: investigation.id }, contextOf());
    expect([shown.ok, opened()]).toEqual([true, 1]);
  });

  test('is what the user asks to copy, once or always', async () => {
    expect((await add(make('a.db'), true)).investigation.storage).toBe('copied');
    library.settings = { ...defaultSettings, copyImported: 'always' };
    expect((await add(make('b.db'))).investigation.storage).toBe('copied');
    expect((await add(make('c.db'), false)).investigation.storage).toBe('referenced');
  });

  test.each([
    ['run.db.gz', gzipSync, 'run.db'],
    ['packed', zstdCompressSync, 'packed'],
  ])('is what is in a compressed file: %s', async (name, pack, unpacked) => {
    writeFileSync(file(name), pack('content'));
    const { investigation } = await add(file(name), false);
    expect(investigation).toMatchObject({ storage: 'copied', name: unpacked, sizeBytes: 7 });
    expect(readFileSync(investigation.path, 'utf8')).toBe('content');
  });

  test('is no copy again', async () => {
    const { investigation } = await add(makeCapture('capture.db'));
    const again = await add(investigation.path, true);
    expect(again).toMatchObject({ wasKnown: true, investigation: { id: investigation.id } });
    expect(stored()).toHaveLength(2);
  });
});

describe('the same bytes', () => {
  test.each([false, true])('elsewhere are known (copied: %s)', async (copy) => {
    const first = await add(make('a.db', 'same'), copy);
    const second = await add(make('b.db', 'same'), copy);
    expect(first.wasKnown).toBe(false);
    expect(second).toMatchObject({ wasKnown: true, investigation: first.investigation });
    expect(library.list()).toHaveLength(1);
  });

  test('of a file with a log are those of the copy', async () => {
    const first = await add(make('a.db', 'base'), false);
    make('a.db-wal', 'log');
    const live = await add(file('a.db'));
    expect(live.investigation.id).not.toBe(first.investigation.id);
    expect(await add(file('a.db'))).toMatchObject({
      wasKnown: true,
      investigation: { id: live.investigation.id },
    });
    make('whole.db', 'baselog');
    expect(await add(file('whole.db'))).toMatchObject({ wasKnown: true });
  });

  test('of a removed entry bring it back', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    await remove(investigation.id);
    const again = await add(make('b.db', 'same'));
    expect(again).toMatchObject({ wasKnown: true, investigation: { path: file('a.db') } });
    expect(library.list()).toHaveLength(1);
  });

  test('of a missing file give it its new path', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    await app.handlers['library.locate'](
      { id: investigation.id, path: file('a.db'), acceptDifferent: false },
      contextOf(),
    );
    renameSync(file('a.db'), file('moved.db'));
    const again = await add(file('moved.db'));
    expect(again.wasKnown).toBe(true);
    expect(library.list()).toMatchObject([
      { id: investigation.id, path: file('moved.db'), state: 'ok' },
    ]);
  });

  test('are not sought where no file has their size', async () => {
    await add(make('a.db'));
    await add(make('longer.db'));
    expect(library.asked).not.toContain('hashFile');
  });

  test('that a page sends leave no second copy of a file that is referenced', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    const incoming = {
      name: 'sent.db',
      body: Readable.from([Buffer.from('same')]),
      expectedBytes: 4,
    };
    const sent = await app.addStream(incoming, contextOf(), () => undefined);
    expect(sent).toMatchObject({
      value: { wasKnown: true, investigation: { id: investigation.id } },
    });
    expect(stored()).toEqual([]);
  });

  test('added by many at once are one entry', async () => {
    makeCapture('capture.db');
    const all = await Promise.all(Array.from({ length: 8 }, () => add(file('capture.db'))));
    expect(new Set(all.map(({ investigation }) => investigation.id)).size).toBe(1);
    expect(stored()).toHaveLength(2);
  });
});

describe('the bytes in a compressed file', () => {
  test('are known', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    writeFileSync(file('a.db.gz'), gzipSync('same'));
    const packed = await add(file('a.db.gz'));
    expect(packed).toMatchObject({ wasKnown: true, investigation: { id: investigation.id } });
    expect(stored()).toEqual([]);
  });

  test('are an entry’s that lost its file', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    await library.handlers.hash({ id: investigation.id }, contextOf());
    rmSync(file('a.db'));
    writeFileSync(file('a.db.zst'), zstdCompressSync('same'));
    expect(await locate(investigation.id, file('a.db.zst'))).toMatchObject({
      value: { id: investigation.id, storage: 'copied', state: 'ok' },
    });
  });

  test('that a page sends are kept without what it sent', async () => {
    const body = Readable.from([gzipSync('sent')]);
    const sent = { name: 'sent.db.gz', body, expectedBytes: 0 };
    const added = await app.addStream(sent, contextOf(), () => undefined);
    expect(added).toMatchObject({
      value: { investigation: { name: 'sent.db', storage: 'copied' } },
    });
    expect(stored()).toHaveLength(2);
  });
});

describe('the entry with a file', () => {
  const idOf = async (path: string) => {
    const found = await app.handlers['library.findFile']({ path }, contextOf());
    if (!found.ok) throw new Error(found.error.message);
    return found.value?.id;
  };

  test('is found by where it lies, by its bytes, and by what is in it', async () => {
    const referenced = await add(make('a.db', 'same'), false);
    const copied = await add(makeCapture('capture.db'));
    expect(copied.investigation.path).not.toBe(file('capture.db'));
    expect(await idOf(file('a.db'))).toBe(referenced.investigation.id);
    expect(await idOf(make('twin.db', 'same'))).toBe(referenced.investigation.id);
    expect(await idOf(file('capture.db'))).toBe(copied.investigation.id);
    const before = readdirSync(file('data/scratch'));
    for (const pack of [gzipSync, zstdCompressSync]) {
      writeFileSync(file('packed'), pack(readFileSync(file('capture.db'))));
      expect(await idOf(file('packed'))).toBe(copied.investigation.id);
    }
    expect(before).toEqual(expect.arrayContaining(readdirSync(file('data/scratch'))));
  });

  test('is none of other bytes, of a removed one, or of one whose file is gone', async () => {
    const { investigation } = await add(make('a.db', 'same'));
    expect(await idOf(make('b.db', 'else'))).toBeUndefined();
    expect(await idOf(make('longer.db', 'same and more'))).toBeUndefined();
    expect(await idOf(file('gone.db'))).toBeUndefined();
    make('live.db', 'same');
    make('live.db-wal', 'log');
    expect(await idOf(file('live.db'))).toBeUndefined();
    make('twin.db', 'same');
    await remove(investigation.id);
    expect(await idOf(file('twin.db'))).toBeUndefined();
    await add(file('a.db'));
    expect(await idOf(file('twin.db'))).toBe(investigation.id);
    rmSync(file('a.db'));
    expect(await idOf(file('twin.db'))).toBeUndefined();
  });

  test('is not looked for where files may not be opened', async () => {
    await app.close();
    start({ mayOpen: () => false });
    const refused = await app.handlers['library.findFile']({ path: file('a.db') }, contextOf());
    expect(refused).toMatchObject({ error: { code: 'path-not-allowed' } });
  });
});

describe('nothing is kept', () => {
  test('of a copy that is no trace', async () => {
    const refused = await app.handlers['library.add'](
      { path: make('bad.db'), copy: true },
      contextOf(),
    );
    expect(refused).toMatchObject({ error: { code: 'file-not-a-trace' } });
    expect(stored()).toEqual([]);
  });

  test('of what is in a compressed file and no trace: it is called as its user calls it', async () => {
    for (const [name, pack] of [
      ['bad.db.gz', gzipSync] as const,
      ['bad.db.zst', zstdCompressSync] as const,
    ]) {
      writeFileSync(file(name), pack('content'));
      const refused = await app.handlers['library.add']({ path: file(name) }, contextOf());
      expect(refused).toMatchObject({ error: { message: `“${name}” is no trace.` } });
    }
    expect(stored()).toEqual([]);
  });

  test('of a copy that is cancelled', async () => {
    const call = new AbortController();
    const adding = app.handlers['library.add'](
      { path: make('slow.db'), copy: true },
      contextOf(new AbortController(), call),
    );
    await expect.poll(() => existsSync(file('data/files')) && stored().length).toBe(1);
    call.abort();
    expect(await adding).toMatchObject({ error: { code: 'cancelled' } });
    expect(stored()).toEqual([]);
  });

  test('of a file that is cancelled while its bytes are compared', async () => {
    await add(make('a.db', 'same'));
    await app.close();
    const hashing = vi.fn();
    const { platform } = fakePlatform({
      ...library.handlers,
      hashFile: (_file, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(fail('cancelled', 'Cancelled.')));
          hashing();
        }),
    });
    app = createApp(platform, { dataFolder: file('data') });
    const call = new AbortController();
    const adding = app.handlers['library.add'](
      { path: make('b.db', 'size') },
      contextOf(new AbortController(), call),
    );
    await expect.poll(() => hashing.mock.calls.length).toBe(1);
    call.abort();
    expect(await adding).toMatchObject({ error: { code: 'cancelled' } });
    expect(library.list()).toHaveLength(1);
  });

  test('of a copy that can not be listed', async () => {
    const { platform } = fakePlatform({
      ...library.handlers,
      put: async () => fail('library-unavailable', 'The disk is full.'),
    });
    await app.close();
    app = createApp(platform, { dataFolder: file('data') });
    const added = await app.handlers['library.add']({ path: makeCapture('a.db') }, contextOf());
    expect(added).toMatchObject({ error: { code: 'library-unavailable' } });
    expect(stored()).toEqual([]);
  });

  test('where the library can not be read: the copy waits for the sweep', async () => {
    library.broken = 'The disk is full.';
    const added = await app.handlers['library.add']({ path: makeCapture('a.db') }, contextOf());
    expect(added).toMatchObject({ error: { code: 'library-unavailable' } });
    library.broken = undefined;
    expect((await add(file('a.db'))).wasKnown).toBe(false);
    expect(stored()).toHaveLength(2);
  });
});

describe('a file that moved', () => {
  async function moved(content = 'same'): Promise<number> {
    const { investigation } = await add(make('a.db', content));
    const hashed = await library.handlers.hash({ id: investigation.id }, contextOf());
    if (!hashed.ok) throw new Error(hashed.error.message);
    renameSync(file('a.db'), file('moved.db'));
    return investigation.id;
  }

  test('is taken by its bytes, wherever it is', async () => {
    const id = await moved();
    expect(await locate(id, file('moved.db'))).toMatchObject({
      value: { id, path: file('moved.db'), state: 'ok', name: 'a.db' },
    });
  });

  test('is not mistaken for another, unless that is wanted', async () => {
    const id = await moved();
    appendFileSync(file('moved.db'), 'x');
    const refused = await locate(id, file('moved.db'));
    expect(refused).toMatchObject({ error: { code: 'file-different' } });
    expect(library.list()).toMatchObject([{ path: file('a.db'), state: 'missing' }]);
    const accepted = await locate(id, file('moved.db'), true);
    expect(accepted).toMatchObject({ value: { id, path: file('moved.db'), sizeBytes: 5 } });
  });

  test('may not be replaced by what is no trace', async () => {
    const id = await moved();
    const accepted = await locate(id, make('bad.db'), true);
    expect(accepted).toMatchObject({ error: { code: 'file-not-a-trace' } });
    expect(library.list()).toMatchObject([{ path: file('a.db') }]);
  });

  test('is not looked for in a folder, nor where nothing is', async () => {
    const id = await moved();
    expect(await locate(id, folder)).toMatchObject({ error: { code: 'file-not-a-trace' } });
    expect(await locate(id, file('gone.db'))).toMatchObject({ error: { code: 'file-missing' } });
  });

  test('is not given to two entries', async () => {
    const id = await moved();
    await add(make('b.db', 'else'));
    expect(await locate(id, file('b.db'), true)).toMatchObject({ error: { code: 'path-taken' } });
  });

  test('is copied where it is written to', async () => {
    const { investigation } = await add(make('a.db', 'whole'), false);
    await library.handlers.hash({ id: investigation.id }, contextOf());
    rmSync(file('a.db'));
    make('live.db', 'who');
    make('live.db-wal', 'le');
    const located = await locate(investigation.id, file('live.db'));
    expect(located).toMatchObject({ value: { id: investigation.id, storage: 'copied' } });
  });
});
