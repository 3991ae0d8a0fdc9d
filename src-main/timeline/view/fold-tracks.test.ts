import { expect, test } from 'vitest';
import type { Track, TrackGroup } from '../model/track-model.ts';
import { layoutTracks, type TrackView } from './layout-tracks.ts';

const track = (id: string, under?: string) =>
  ({
    ...{ id, kind: 'line', label: id, detail: '', badge: '', provenance: '' },
    ...(under !== undefined && { under }),
  }) as unknown as Track;
const tracks = [track('a'), track('b'), track('a2', 'a'), track('a1', 'a'), track('b1', 'b')];
const group: TrackGroup = {
  id: 'workers',
  label: 'Workers',
  detail: '',
  foldsTracks: true,
  tracks,
};

/** The rows, each with how deep it stands and how many tracks it folds. */
function shown(view: Partial<TrackView> = {}, of: TrackGroup = group): string[] {
  const nothing: TrackView = {
    ...{ hidden: new Set<string>(), expanded: new Set<string>(), pinned: [], order: [] },
    ...{ collapsedGroups: new Set<string>(), matches: () => true },
  };
  return layoutTracks([of], { ...nothing, ...view }).rows.flatMap((row) =>
    row.kind === 'group'
      ? []
      : [`${row.lead === undefined ? '' : '  '}${row.id}${row.folds > 0 ? ` +${row.folds}` : ''}`],
  );
}

test('what is folded under a row is shown right below it once that is opened', () => {
  expect(shown()).toEqual(['a +2', 'b +1']);
  expect(shown({ expanded: new Set(['a']) })).toEqual(['a +2', '  a2', '  a1', 'b +1']);
});

test('it stands by itself where the filter leaves it alone, and is shown where events are picked', () => {
  expect(shown({ matches: ({ id }) => id !== 'a' })).toEqual(['b +1', 'a2', 'a1']);
  expect(shown({ showsFolded: true, matches: ({ id }) => id !== 'a1' })).toEqual([
    ...['a +1', '  a2', 'b +1', '  b1'],
  ]);
});

test('it goes with a row that is hidden, and along with one that is pinned', () => {
  expect(shown({ hidden: new Set(['a']) })).toEqual(['b +1']);
  expect(shown({ pinned: ['b'], expanded: new Set(['b']) })).toEqual(['b +1', '  b1', 'a +2']);
});

test('in a group that folds nothing, such as the picture of the Overview, each stands by itself', () => {
  const { foldsTracks: _, ...flat } = group;
  expect(shown({}, flat)).toEqual(['a', 'b', 'a2', 'a1', 'b1']);
});

test('pinned by itself, nothing folds it away', () => {
  expect(shown({ pinned: ['a', 'a1'] })).toEqual(['a +1', 'a1', 'b +1']);
  expect(shown({ pinned: ['a1'], hidden: new Set(['a']) })).toEqual(['a1', 'b +1']);
});
