import { beforeEach, expect, test } from 'vitest';
import { entriesOf, RunGroups } from './run-groups.svelte.ts';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];
let kept: Map<string, string>;
const groups = () =>
  new RunGroups({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  });

beforeEach(() => {
  kept = new Map();
});

test('one that begins later joins the others, which keep what they brought', () => {
  const own = groups();
  own.join([A], 7);
  own.bring(A, 1);
  own.join([B, A], undefined);
  expect(own.of(A)).toEqual({ runs: [{ id: B }, { id: A, entry: 1 }], before: 7 });
  expect(groups().of(B)).toEqual(own.of(A));
});

test('is whole once each is in the library, or is not waited for', () => {
  const own = groups();
  own.join([A, B, C], undefined);
  own.bring(A, 1);
  expect(entriesOf(own.bring(B, 2) ?? { runs: [] })).toBeUndefined();
  expect(entriesOf(own.leave(C) ?? { runs: [] })).toEqual([1, 2]);
  own.end({ runs: [{ id: A }] });
  expect(own.of(B)).toBeUndefined();
});

test('what neither the list of captures nor the library has is not waited for', () => {
  const own = groups();
  own.join([A, B, C], undefined);
  own.bring(A, 1);
  expect(own.gone([B])).toEqual([C]);
});

test('of a capture by itself that is in the library nothing is kept over a reload', () => {
  const own = groups();
  own.join([A], 7);
  own.bring(A, 1);
  // What it is compared with is still asked for.
  expect(own.gone([])).toEqual([]);
  expect(own.of(A)?.before).toBe(7);
  expect(groups().of(A)).toBeUndefined();
});
