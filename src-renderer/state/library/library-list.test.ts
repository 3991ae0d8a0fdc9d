import { beforeEach, expect, test } from 'vitest';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import { Library } from './library.svelte.ts';
import { LibraryList } from './library-list.svelte.ts';

let list: LibraryList;
const ids = () => list.shown.map(({ id }) => id);
const pickedIds = () => list.picked.map(({ id }) => id);

beforeEach(async () => {
  const entries = [1, 2, 3, 4].map((id) =>
    fakeInvestigation({
      id,
      name: `run ${5 - id}`,
      addedAt: `2026-01-0${id}`,
      tags: ['even'].slice(id % 2),
    }),
  );
  const fake = new FakeApi().answer('library.list', () => ok(entries));
  const library = new Library(fake.api, new Toasts());
  list = new LibraryList(library);
  await library.load();
});

test('last used first; a column sorts its usual way first, then the other', () => {
  expect(ids()).toEqual([4, 3, 2, 1]);
  list.sortBy('name');
  expect(list.sort).toEqual({ column: 'name', direction: 'ascending' });
  expect(ids()).toEqual([4, 3, 2, 1]);
  list.sortBy('name');
  expect(ids()).toEqual([1, 2, 3, 4]);
  list.sortBy('size');
  expect(list.sort.direction).toBe('descending');
});

test('tags narrow the list until they are taken back', () => {
  list.toggleTag('even');
  expect(ids()).toEqual([4, 2]);
  expect(list.isNarrowed).toBe(true);
  list.toggleTag('even');
  expect(list.isNarrowed).toBe(false);
});

test('rows are picked one by one, from the last to here, and all', () => {
  list.pick(1);
  expect(pickedIds()).toEqual([3]);
  list.pick(3, 'extend');
  expect(pickedIds()).toEqual([3, 2, 1]);
  list.pick(0, 'extend');
  expect(pickedIds()).toEqual([4, 3]);
  list.pick(0, 'toggle');
  expect(pickedIds()).toEqual([3]);
  list.pickAll();
  expect(pickedIds()).toEqual([4, 3, 2, 1]);
  list.unpick();
  expect(pickedIds()).toEqual([]);
});

test('the focus stays with its entry when the order changes', () => {
  list.pick(0);
  expect(list.focusedIndex).toBe(0);
  list.sortBy('name');
  list.sortBy('name');
  expect(list.shown[list.focusedIndex]?.id).toBe(4);
});

test('a command acts on the picked rows only where it was asked for on one of them', () => {
  list.pick(0);
  list.pick(1, 'extend');
  const [first, , third] = list.shown;
  expect(first && list.targetsOf(first)).toHaveLength(2);
  expect(third && list.targetsOf(third)).toEqual([third]);
});
