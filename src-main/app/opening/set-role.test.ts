import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type App, createApp } from '../app.ts';
import { ownFolders } from '../file-store/file-store.ts';
import { limitToFolders } from '../paths/open-folders.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';

let folder: string;
let library: FakeLibrary;
let app: App;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'set-role-'));
  writeFileSync(join(folder, 'a.db'), 'a');
  library = new FakeLibrary();
  const { platform } = fakePlatform(library.handlers);
  const ownedBy = ownFolders(folder);
  const limits = await limitToFolders({ files: [], folders: [folder], ownFolders: ownedBy });
  app = createApp({ ...platform, ...limits }, { dataFolder: folder });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openTrace() {
  const path = join(folder, 'a.db');
  const added = await app.handlers['library.add']({ path }, contextOf());
  if (!added.ok) throw new Error(added.error.message);
  const { id } = added.value.investigation;
  const opened = await app.handlers['trace.open']({ id }, contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  return { id, traceId: opened.value.traceId, roles: opened.value.summary.processes };
}

test('a role that was set is kept, and there when the trace is opened again', async () => {
  const { id, traceId, roles } = await openTrace();
  expect(roles).toMatchObject([{ role: 'other' }]);
  const args = { traceId, id, process: 0, role: 'launcher' as const };
  const changed = await app.handlers['trace.setRole'](args, contextOf());
  const expected = [{ role: 'launcher', roleSet: true }];
  expect(changed).toMatchObject({ ok: true, value: { processes: expected } });
  expect(library.kept[0].roles).toEqual([{ pid: 7, role: 'launcher' }]);
  await app.handlers['trace.close']({ traceId }, contextOf());
  const again = await openTrace();
  expect(again.roles).toMatchObject(expected);
  const back = { traceId: again.traceId, id, process: 0, role: null };
  const restored = await app.handlers['trace.setRole'](back, contextOf());
  expect(restored).toMatchObject({ value: { processes: [{ role: 'other' }] } });
  expect(library.kept[0].roles).toEqual([]);
});

test('a role is set for a process that there is, in an investigation that there is', async () => {
  const { id, traceId } = await openTrace();
  const set = (args: { id: number; process: number }) =>
    app.handlers['trace.setRole']({ traceId, role: 'main', ...args }, contextOf());
  expect(await set({ id, process: 1 })).toMatchObject({ error: { code: 'not-found' } });
  expect(await set({ id: 99, process: 0 })).toMatchObject({ error: { code: 'not-found' } });
  library.broken = 'The disk is full.';
  expect(await set({ id, process: 0 })).toMatchObject({ error: { code: 'library-unavailable' } });
  library.broken = undefined;
  expect(library.kept[0].roles).toEqual([]);
});

test('what processes did can be asked of an open trace', async () => {
  const { traceId } = await openTrace();
  const asked = await app.handlers['trace.processes']({ traceId, span: {} }, contextOf());
  expect(asked).toMatchObject({ ok: true, value: { note: 'none' } });
});
