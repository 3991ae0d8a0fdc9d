import { expect, test } from 'vitest';
import { addedWords } from './added-words.ts';

const none = { notesAdded: 0, bookmarksAdded: 0 };

test('say what a .stalltrace file brought, and what stays', () => {
  const merged = { tagsAdded: 2, verdictAdded: false, kept: ['name', 'verdict', 'view'] } as const;
  expect(addedWords({ notesAdded: 2, bookmarksAdded: 1, merged })).toBe(
    '2 notes, 1 bookmark and 2 tags added; your name, verdict and view stay',
  );
  expect(
    addedWords({ ...none, merged: { tagsAdded: 0, verdictAdded: true, kept: ['view'] } }),
  ).toBe('the verdict added; your view stays');
  expect(addedWords({ ...none, bookmarksAdded: 1 })).toBe('1 bookmark added');
  expect(addedWords(none)).toBeUndefined();
});
