import { expect, test } from 'vitest';
import type { NoteDraft } from '../../../src-main/shared/library/note.ts';
import { kindText, placeText, subjectText } from './note-words.ts';

const draft: NoteDraft = {
  id: '33333333-3333-4333-8333-333333333333',
  kind: 'note',
  text: '',
  startNs: 2_000_000_000,
  endNs: 2_030_000_000,
};

test('a place is a range, a moment or an event', () => {
  const spaced = (text: string) => text.replaceAll('\u202f', ' ');
  expect(spaced(placeText(draft))).toBe('+2.000 000 000 s · 30.00 ms');
  expect(spaced(placeText({ ...draft, endNs: draft.startNs }))).toBe('+2.000 000 000 s');
  const event = { table: 'cuda_call', row: 0, startNs: 5, durationNs: 1, label: 'copy' } as const;
  expect(spaced(placeText({ ...draft, event }))).toBe('copy · +0.000 000 005 s');
});

test('a bookmark is called by its digit', () => {
  expect(kindText({ ...draft, kind: 'bookmark', slot: 3 })).toBe('Bookmark 3');
  expect(kindText({ ...draft, kind: 'bookmark' })).toBe('Bookmark');
});

test('a card says what its note is on', () => {
  const event = { table: 'cuda_call', row: 0, startNs: 5, durationNs: 1, label: 'copy' } as const;
  expect(subjectText({ ...draft, event })).toBe('the event');
  expect(subjectText(draft)).toBe('the range');
  expect(subjectText({ ...draft, endNs: draft.startNs })).toBe('the time');
});
