import { expect, test } from 'vitest';
import { notesText } from './notes-text.ts';

const note = { kind: 'note' } as const;
const bookmark = { kind: 'bookmark' } as const;

test.each([
  [[], ''],
  [[note, note, bookmark], '2 notes, 1 bookmark'],
  [[bookmark, bookmark], '2 bookmarks'],
  [[note], '1 note'],
])('%j: %s', (notes, expected) => {
  expect(notesText(notes)).toBe(expected);
});
