import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readArchive } from '../../archive/read-archive.ts';
import type { CatalogueEntry } from '../../shared/contract/library-process-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { type App, createApp } from '../app.ts';
import { archiveName } from '../opening/pack-archive.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';

let folder: string;
let library: FakeLibrary;
let app: App;

const file = (name: string) => join(folder, name);
const save = (id: number, path: string, overwrite = false) =>
  app.handlers['archive.write']({ id, path, overwrite }, contextOf());

function appOf(more: Partial<HostPlatform> = {}): App {
  return createApp({ ...fakePlatform(library.handlers).platform, ...more }, { dataFolder: folder });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-handlers-'));
  library = new FakeLibrary();
  app = appOf();
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const NOTE = {
  id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
  kind: 'note',
  text: 'Look here',
  startNs: 5,
  endNs: 9,
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:06.000Z',
} as const;

/** Lists a trace with a note, a tag, a verdict and a view, and returns its id. */
async function listTrace(changes: Partial<CatalogueEntry> = {}): Promise<number> {
  const path = file('trace.db');
  writeFileSync(path, 'trace '.repeat(1_000));
  const fixed = { path, name: 'Run 7.db', format: 'x', sizeBytes: 6_000, synthetic: false };
  const entry = { ...fixed, sample: false, storage: 'referenced', processes: [], ...changes };
  const { id } = library.put(entry as CatalogueEntry);
  const verdict = { kind: 'input-bound', text: 'Too few CPUs' } as const;
  const { handlers } = library;
  await handlers.change({ id, tags: ['one'], verdict }, contextOf());
  await handlers.saveRoles({ id, roles: [{ pid: 7, role: 'launcher' }] }, contextOf());
  await handlers.saveView({ id, view: { tab: 'flame' } }, contextOf());
  await handlers.addNotes({ id, notes: [NOTE] }, contextOf());
  return id;
}

async function read(path: string) {
  const into = mkdtempSync(join(folder, 'into-'));
  const result = await readArchive(path, into, contextOf());
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

test('all that the library keeps of an entry is in the file', async () => {
  const id = await listTrace();
  const path = file('out.stalltrace');
  const written = await save(id, path);
  expect(written).toEqual({ ok: true, value: { path, sizeBytes: readFileSync(path).length } });
  const unpacked = await read(path);
  expect(unpacked).toMatchObject({
    name: 'Run 7.db',
    traceName: 'trace.db',
    tags: ['one'],
    verdict: { kind: 'input-bound', text: 'Too few CPUs' },
    view: { tab: 'flame' },
    roles: [{ pid: 7, role: 'launcher' }],
    notes: [NOTE],
  });
  expect(readFileSync(unpacked.tracePath)).toEqual(readFileSync(file('trace.db')));
});

test('nothing is lost to it: neither another file nor the trace itself', async () => {
  const id = await listTrace();
  writeFileSync(file('other'), 'other');
  expect(await save(id, file('other'))).toMatchObject({ error: { code: 'file-exists' } });
  expect(await save(id, file('trace.db'), true)).toMatchObject({
    error: { code: 'file-unwritable', message: expect.stringContaining('is the trace itself') },
  });
  expect(readFileSync(file('other'), 'utf8')).toBe('other');
  expect(readFileSync(file('trace.db'), 'utf8')).toMatch(/^trace /);
  expect((await save(id, file('other'), true)).ok).toBe(true);
});

test('what cannot be packed says so, and leaves nothing', async () => {
  const id = await listTrace();
  const before = readdirSync(folder);
  expect(await save(99, file('a'))).toMatchObject({ error: { code: 'not-found' } });
  expect(await save(id, 'relative')).toMatchObject({ error: { code: 'file-unwritable' } });
  rmSync(file('trace.db'));
  expect(await save(id, file('a'))).toMatchObject({ error: { code: 'file-missing' } });
  mkdirSync(file('trace.db'));
  expect(await save(id, file('a'))).toMatchObject({ error: { code: 'file-not-a-trace' } });
  expect(readdirSync(folder)).toEqual(before);
});

test('a host that is limited to folders neither reads nor writes elsewhere', async () => {
  const id = await listTrace();
  await app.close();
  const allowed = new Set<string>();
  app = appOf({ mayOpen: (path) => allowed.has(path), openFolders: ['/nowhere'] });
  const refusal = { error: { code: 'path-not-allowed' } };
  expect(await save(id, file('a'))).toMatchObject(refusal);
  allowed.add(file('a'));
  expect(await save(id, file('a'))).toMatchObject(refusal);
  expect(await app.openArchive(id, new AbortController().signal)).toMatchObject(refusal);
  allowed.add(file('trace.db'));
  expect((await save(id, file('a'))).ok).toBe(true);
});

test('cancelled while it is written, it leaves nothing', async () => {
  const id = await listTrace();
  writeFileSync(file('trace.db'), Buffer.alloc(60_000_000, 'trace'));
  const before = readdirSync(folder);
  const call = new AbortController();
  const context = {
    ...contextOf(new AbortController(), call),
    progress: () => call.abort(),
  };
  const args = { id, path: file('a'), overwrite: false };
  expect(await app.handlers['archive.write'](args, context)).toMatchObject({
    error: { code: 'cancelled' },
  });
  expect(readdirSync(folder)).toEqual(before);
});

test('a dialog asks where, with a name to begin with', async () => {
  const id = await listTrace();
  expect(await app.handlers['archive.save']({ id }, contextOf())).toMatchObject({
    error: { code: 'no-dialog' },
  });
  await app.close();
  const asked: string[] = [];
  const answers = [null, file('chosen')];
  app = appOf({
    chooseSavePath: async (name) => {
      asked.push(name);
      return answers.shift() ?? null;
    },
  });
  expect(await app.handlers['archive.save']({ id }, contextOf())).toEqual({
    ok: true,
    value: null,
  });
  expect(await app.handlers['archive.save']({ id }, contextOf())).toMatchObject({
    value: { path: file('chosen') },
  });
  expect(asked).toEqual(['Run 7.stalltrace', 'Run 7.stalltrace']);
});

test('a name for the file, whatever the investigation is called', () => {
  expect(archiveName({ name: '../../etc/passwd' })).toBe('etc passwd.stalltrace');
  expect(archiveName({ name: '...' })).toBe('trace.stalltrace');
  expect(archiveName({ name: 'a.sqlite' })).toBe('a.stalltrace');
  expect(Buffer.byteLength(archiveName({ name: '鐘'.repeat(150) }))).toBeLessThanOrEqual(200);
});
