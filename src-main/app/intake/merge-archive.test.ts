import { expect, test } from 'vitest';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { SetRole } from '../../shared/library/set-role.ts';
import type { SavedView } from '../../shared/library/view.ts';
import type { Unpacked } from '../opening/unpack-archive.ts';
import type { Services } from '../services/services.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { mergeArchive } from './merge-archive.ts';

const sent: Unpacked = {
  name: 'theirs',
  tags: ['One', 'two'],
  verdict: { kind: 'input-bound', text: 'Too few CPUs' },
  view: { tab: 'flame' },
  notes: [],
  roles: [{ pid: 7, role: 'launcher' }],
} as unknown as Unpacked;

/** Lists a trace as `changes` say, and merges the archive into it. */
async function merge(
  changes: Partial<Investigation>,
  view: SavedView | null = null,
  roles: readonly SetRole[] = [],
) {
  const fake = new FakeLibrary();
  const handlers = fake.handlers as unknown as Record<string, (...args: unknown[]) => unknown>;
  const library = { call: (name: string, args: unknown) => handlers[name]?.(args, contextOf()) };
  const base = { path: '/a.db', name: 'mine', format: 'x', sizeBytes: 1, synthetic: false };
  const { id } = fake.put({ ...base, sample: false, storage: 'copied', processes: [] });
  const { tags = [], verdict } = changes;
  await fake.handlers.change({ id, tags: [...tags], verdict: verdict ?? null }, contextOf());
  await fake.handlers.saveView({ id, view }, contextOf());
  await fake.handlers.saveRoles({ id, roles: [...roles] }, contextOf());
  const [entry] = fake.list();
  if (entry === undefined) throw new Error('not listed');
  const merged = await mergeArchive({ library } as unknown as Services, sent, entry);
  return { merged, entry: fake.list()[0], roles: fake.kept[0].roles };
}

test('an entry without any gets tags and verdict; the view is offered', async () => {
  const { merged, entry } = await merge({});
  const value = { tagsAdded: 2, verdictAdded: true, kept: ['name'], view: sent.view };
  expect(merged).toEqual({ ok: true, value });
  expect(entry).toMatchObject({ name: 'mine', tags: ['One', 'two'], verdict: sent.verdict });
});

test('what is the user’s own stays, and that is said', async () => {
  const verdict = { kind: 'balanced', text: '' } as const;
  const { merged, entry } = await merge({ tags: ['one'], verdict }, { tab: 'notes' });
  const kept = ['name', 'verdict', 'view'];
  const value = { tagsAdded: 1, verdictAdded: false, kept, view: sent.view };
  expect(merged).toEqual({ ok: true, value });
  expect(entry).toMatchObject({ tags: ['one', 'two'], verdict });
});

test('roles of processes are taken where the entry has none of its own', async () => {
  expect((await merge({})).roles).toEqual(sent.roles);
  const own = [{ pid: 9, role: 'other' as const }];
  expect((await merge({}, null, own)).roles).toEqual(own);
});

test('what is the same on both sides needs no word', async () => {
  const { verdict } = sent;
  const { merged } = await merge({ tags: ['two', 'one'], ...(verdict && { verdict }) }, sent.view);
  const value = { tagsAdded: 0, verdictAdded: false, kept: ['name'] };
  expect(merged).toEqual({ ok: true, value });
});

test('no more tags are taken than an entry may have', async () => {
  const tags = Array.from({ length: 49 }, (_, index) => `t${index}`);
  const { merged, entry } = await merge({ tags });
  expect(merged).toMatchObject({ value: { tagsAdded: 1 } });
  expect(entry?.tags).toHaveLength(50);
});
