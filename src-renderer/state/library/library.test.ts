import { expect, test, vi } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import { Library } from './library.svelte.ts';

function setUp() {
  const fake = new FakeApi().answer('library.list', () => ok([fakeInvestigation()]));
  const toasts = new Toasts();
  return { fake, toasts, library: new Library(fake.api, toasts) };
}

test('follows library.changed', async () => {
  const { fake, library } = setUp();
  expect(library.entries).toBeUndefined();
  fake.emit('library.changed', null);
  await Promise.resolve();
  await Promise.resolve();
  expect(library.entries).toHaveLength(1);
});

test('a failed reload is told and keeps the list', async () => {
  const { fake, library } = setUp();
  await library.load();
  fake.answer('library.list', () => fail('library-unavailable', 'It is locked.'));
  await library.load();
  expect(library.failure?.message).toBe('It is locked.');
  expect(library.entries).toHaveLength(1);
});

test('removing is undone with everything the entries had', async () => {
  const { fake, library, toasts } = setUp();
  await library.load();
  const entries = [fakeInvestigation(), fakeInvestigation({ id: 2, name: 'other' })];
  await library.remove(entries, true);
  expect(fake.asked).toContainEqual({ name: 'library.remove', args: { id: 2, trashFile: true } });
  const undo = toasts.items[0]?.action;
  expect(toasts.items[0]?.text).toBe('2 entries are off the list.');
  fake.answer('library.restore', ({ id }) => ok(fakeInvestigation({ id })));
  undo?.run();
  await vi.waitFor(() =>
    expect(fake.namesAsked().filter((name) => name === 'library.restore')).toHaveLength(2),
  );
});

test('a removal that fails is told, and only what was removed can be undone', async () => {
  const { fake, library, toasts } = setUp();
  fake.answer('library.remove', () => fail('sample-stays', 'The sample stays.'));
  await library.remove([fakeInvestigation()], false);
  expect(toasts.items.map(({ text }) => text)).toEqual(['The sample stays.']);
});

test('only the answer to the last search counts', async () => {
  vi.useFakeTimers();
  const { fake, library } = setUp();
  await library.load();
  const answers = new Map<string, (name: string) => void>();
  fake.answer(
    'library.list',
    ({ search = '' }) =>
      new Promise((resolve) => {
        answers.set(search, (name) => resolve(ok([fakeInvestigation({ name })])));
      }),
  );
  library.setSearch('sl');
  await vi.advanceTimersByTimeAsync(200);
  library.setSearch('slow');
  await vi.advanceTimersByTimeAsync(200);
  expect(library.searching).toBe(true);
  answers.get('slow')?.('slow run');
  answers.get('sl')?.('slack');
  await vi.advanceTimersByTimeAsync(0);
  expect(library.found?.map(({ name }) => name)).toEqual(['slow run']);
  expect(library.searching).toBe(false);
  library.setSearch('  ');
  expect(library.found).toBe(library.entries);
  vi.useRealTimers();
});

test('typing asks once', async () => {
  vi.useFakeTimers();
  const { fake, library } = setUp();
  for (const text of ['s', 'sl', 'slo']) library.setSearch(text);
  await vi.advanceTimersByTimeAsync(500);
  expect(fake.asked).toEqual([{ name: 'library.list', args: { search: 'slo' } }]);
  vi.useRealTimers();
});

test('tags are added and taken, each once', async () => {
  const { fake, library } = setUp();
  fake.answer('library.change', () => ok(fakeInvestigation()));
  await library.retag([fakeInvestigation({ tags: ['a', 'b'] })], ['b', 'c'], ['a']);
  expect(fake.asked).toEqual([{ name: 'library.change', args: { id: 1, tags: ['b', 'c'] } }]);
});

test('a file that did not go to the trash is told', () => {
  const { fake, toasts } = setUp();
  fake.emit('library.trashFailed', { message: '/a.db could not be moved.' });
  expect(toasts.items).toMatchObject([{ text: '/a.db could not be moved.', kind: 'error' }]);
});

test('what is wrong with the library is told once, and a backup brings it back', async () => {
  const { fake, library, toasts } = setUp();
  const message = 'The library is damaged: restore its backup.';
  const backup = {
    name: '2026-01-02T03-04-05Z',
    madeAt: '2026-01-02T03:04:05Z',
    entries: 2,
    notes: 1,
    statements: 0,
  };
  fake.answer('library.list', () => fail('library-unavailable', message));
  fake.answer('library.health', () => ok({ state: 'damaged', message, backups: [backup] }));
  await library.load();
  expect(library.failure).toBeUndefined();
  expect(library.health?.message).toBe(message);
  fake.answer('library.restoreBackup', ({ name }) => {
    fake.answer('library.list', () => ok([fakeInvestigation()]));
    fake.answer('library.health', () => ok({ state: 'ok', backups: [backup] }));
    return name === backup.name ? ok({ backup, keptAs: '/kept' }) : fail('not-found', 'gone');
  });
  expect(await library.restoreBackup(backup.name)).toBe(true);
  expect(library.health?.state).toBe('ok');
  expect(library.entries).toHaveLength(1);
  expect(toasts.items.at(-1)?.text).toBe(
    'The library was restored to its state of 2026-01-02 03:04. What was there is kept as /kept.',
  );
});

test('a restore that fails is told, and what is wrong stays', async () => {
  const { fake, library, toasts } = setUp();
  fake.answer('library.restoreBackup', () => fail('disk-full', 'No room.'));
  expect(await library.restoreBackup('2026-01-02T03-04-05Z')).toBe(false);
  expect(toasts.items.at(-1)?.text).toBe('No room.');
});
