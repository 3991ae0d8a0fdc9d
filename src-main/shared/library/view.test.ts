import { expect, test } from 'vitest';
import { savedView } from './view.ts';

test('a view saved before ranges got their name shows the same event and tracks', () => {
  const tracks = { hidden: [], expanded: [], collapsedGroups: ['cpus'], filter: '' };
  const event = { row: 3, startNs: 5, durationNs: 2, label: 'ProfilerStep#3' };
  const read = (table: string) =>
    savedView.parse({
      tab: 'timeline',
      event: { ...event, table },
      tracks: { ...tracks, pinned: [`${table}:7`], order: [`${table}:7`, 'off_cpu:7'] },
    });
  expect(read('annotation')).toEqual(read('range'));
  expect(read('annotation').event?.table).toBe('range');
  expect(read('annotation').tracks?.pinned).toEqual(['range:7']);
});
