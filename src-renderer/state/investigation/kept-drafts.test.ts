import { expect, test } from 'vitest';
import { type KeptDraft, keepDrafts, takeDrafts } from './kept-drafts.ts';

const ID = '33333333-3333-4333-8333-333333333333';
const OTHER = '44444444-4444-4444-8444-444444444444';

function kept(id: string, text: string): KeptDraft {
  const draft = { id, kind: 'note', text: '', startNs: 1, endNs: 2 } as const;
  return { investigation: 1, draft, base: { ...draft, createdAt: 'a', updatedAt: 'b' }, text };
}

function fakeStorage(text?: string) {
  const items = new Map(text === undefined ? [] : [['stalltrace.drafts', text]]);
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

test('what several windows leave is taken once, the last text of each note', () => {
  const storage = fakeStorage();
  keepDrafts(storage, []);
  expect(storage.items.size).toBe(0);
  keepDrafts(storage, [kept(ID, 'one'), kept(OTHER, 'two')]);
  keepDrafts(storage, [kept(ID, 'three')]);
  expect(takeDrafts(storage)).toEqual([kept(OTHER, 'two'), kept(ID, 'three')]);
  expect(takeDrafts(storage)).toEqual([]);
});

test('what is damaged is passed over', () => {
  const bad = [null, 3, { ...kept(ID, 'x'), text: 1 }, { ...kept(ID, 'x'), draft: {} }];
  const good = kept(OTHER, 'x');
  expect(takeDrafts(fakeStorage(JSON.stringify([...bad, good])))).toEqual([good]);
  for (const text of ['', '{', '{}', 'null']) expect(takeDrafts(fakeStorage(text))).toEqual([]);
});

test('a page without storage goes on', () => {
  const forbidden = () => {
    throw new DOMException('forbidden', 'SecurityError');
  };
  const storage = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
  expect(() => keepDrafts(storage, [kept(ID, 'x')])).not.toThrow();
  expect(takeDrafts(storage)).toEqual([]);
});
