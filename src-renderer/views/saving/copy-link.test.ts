import { expect, test } from 'vitest';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import { linkContents } from './copy-link.ts';

const times = { startNs: 1, endNs: 2 };
const event = { table: 'cuda_call', row: 0, startNs: 1, durationNs: 1, label: 'copy' } as const;
const tracks = {
  pinned: ['x'],
  hidden: [],
  expanded: [],
  collapsedGroups: [],
  order: [],
  filter: '',
};

test.each<[SavedView | undefined, string]>([
  [undefined, 'this screen'],
  [{ tab: 'overview' }, 'this screen'],
  [{ tab: 'timeline', window: times }, 'the time in view'],
  [{ tab: 'timeline', window: times, event }, 'the time in view and the selected event (copy)'],
  [
    { tab: 'timeline', window: times, range: times, tracks },
    'the time in view, the selected range and the tracks and filter',
  ],
])('a link says what it carries: %#', (view, words) => {
  expect(linkContents(view, [])).toBe(words);
});

test('what was left out is not said to be in it', () => {
  expect(linkContents({ tab: 'timeline', window: times, tracks }, ['tracks'])).toBe(
    'the time in view',
  );
});
