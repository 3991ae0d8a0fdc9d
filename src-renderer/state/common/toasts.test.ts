import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toasts } from './toasts.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const shown = (toasts: Toasts) => toasts.items.map(({ text }) => text);

test('a message passes, an error stays until it is dismissed, both are kept', () => {
  const toasts = new Toasts();
  toasts.show('Copied.');
  toasts.error('The disk is full.');
  vi.advanceTimersByTime(60_000);
  expect(shown(toasts)).toEqual(['The disk is full.']);
  toasts.dismiss(toasts.items[0]?.id ?? -1);
  expect(shown(toasts)).toEqual([]);
  expect(toasts.kept.map(({ text }) => text)).toEqual(['The disk is full.', 'Copied.']);
});

test('errors are not pushed away, and the same words stand once', () => {
  const toasts = new Toasts();
  toasts.error('A');
  for (const text of ['1', '2', '3', '4', '4']) toasts.show(text);
  toasts.error('A');
  expect(shown(toasts)).toEqual(['2', '3', '4', 'A']);
  expect(toasts.kept).toHaveLength(7);
});

test('what was said of a tab is gone on another, and can be read again', () => {
  const toasts = new Toasts();
  toasts.show('Download started.');
  toasts.showHere('Bookmark 1.');
  toasts.leaveTab();
  expect(shown(toasts)).toEqual(['Download started.']);
  expect(toasts.kept).toHaveLength(2);
});

test('what was not dismissed is unread until the list is opened', () => {
  const toasts = new Toasts();
  toasts.show('one');
  toasts.show('two');
  toasts.dismiss(toasts.items[1]?.id ?? -1);
  expect(toasts.unread).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(toasts.unread).toBe(1);
  toasts.markRead();
  expect(toasts.unread).toBe(0);
});

test('what a screen said by itself is kept, and read where it was seen', () => {
  const toasts = new Toasts();
  toasts.keep('No answer.', 'error', true);
  expect([toasts.items.length, toasts.unread]).toEqual([0, 0]);
  toasts.keep('No room.', 'error', false);
  expect([toasts.items.length, toasts.unread]).toEqual([0, 1]);
  expect(toasts.kept.map(({ text, kind }) => `${kind}: ${text}`)).toEqual([
    'error: No room.',
    'error: No answer.',
  ]);
});

test('what a message offers can be done later, once', () => {
  const toasts = new Toasts();
  const run = vi.fn();
  toasts.show('Removed.', { label: 'Undo', run });
  vi.advanceTimersByTime(60_000);
  const [removed] = toasts.kept;
  toasts.act(removed?.id ?? -1);
  toasts.act(removed?.id ?? -1);
  expect(run).toHaveBeenCalledOnce();
  expect(toasts.kept[0]?.action).toBeUndefined();
});

test('a hundred are kept', () => {
  const toasts = new Toasts();
  for (let count = 0; count < 150; count++) toasts.show(`message ${count}`);
  expect(toasts.kept).toHaveLength(100);
  expect(toasts.kept[0]?.text).toBe('message 149');
  toasts.clear();
  expect([toasts.kept.length, toasts.unread, toasts.items.length]).toEqual([0, 0, 0]);
});
