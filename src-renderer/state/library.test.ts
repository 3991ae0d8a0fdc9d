import { expect, test } from 'vitest';
import { fail, ok } from '../../src-main/shared/result.ts';
import { FakeApi, fakeInvestigation } from './fake-api.ts';
import { Library } from './library.svelte.ts';
import { Toasts } from './toasts.svelte.ts';

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

test('removing can be undone by adding the path again', async () => {
  const { fake, library, toasts } = setUp();
  await library.load();
  await library.remove(fakeInvestigation());
  expect(library.entries).toEqual([]);
  const undo = toasts.items[0]?.action;
  expect(undo?.label).toBe('Undo');
  fake.answer('library.add', () => ok(fakeInvestigation({ id: 2 })));
  undo?.run();
  await Promise.resolve();
  expect(fake.asked).toContainEqual({
    name: 'library.add',
    args: { path: '/traces/run.db' },
  });
});
