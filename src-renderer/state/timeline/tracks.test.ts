import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { savedView } from '../../../src-main/shared/library/view.ts';
import type { LineTrack, TrackGroup } from '../../../src-main/timeline/model/track-model.ts';
import { TrackList } from './tracks.svelte.ts';

const track = (id: string): LineTrack => ({
  id,
  kind: 'line',
  label: `label ${id}`,
  detail: '',
  badge: '',
  provenance: '',
  samples: () => ({ timesNs: new Float64Array(0), values: new Float64Array(0) }),
  gaps: [],
  domain: [0, 1],
  unit: '',
});
const group = (id: string, tracks: readonly string[]): TrackGroup => ({
  id,
  label: id,
  detail: '',
  tracks: tracks.map(track),
});
const groups = [group('cpu', ['a', 'b', 'c', 'd']), group('gpu', ['x', 'y'])];

const idsOf = (list: TrackList) => list.trackRows.map(({ id }) => id).join('');

describe('tracks folded under another one', () => {
  const folded = [
    {
      ...group('workers', []),
      foldsTracks: true as const,
      tracks: [
        track('a'),
        { ...track('c'), under: 'a' },
        { ...track('d'), under: 'a' },
        track('b'),
      ],
    },
  ];

  test('are shown and folded again by its row, and moved among themselves', () => {
    const list = new TrackList(() => folded);
    expect(idsOf(list)).toBe('ab');
    const [row] = list.trackRows;
    if (row !== undefined) list.toggleExpanded(row);
    expect(idsOf(list)).toBe('acdb');
    list.move('d', -1);
    expect(idsOf(list)).toBe('adcb');
    expect(list.move('d', -1)).toBe(false);
    list.move('a', 1);
    expect(idsOf(list)).toBe('badc');
    if (row !== undefined) list.toggleExpanded(row);
    expect(idsOf(list)).toBe('ba');
  });

  test('are opened for one that is gone to, also where their row is hidden', () => {
    const list = new TrackList(() => folded);
    list.hide('a');
    expect(idsOf(list)).toBe('b');
    const [, c] = folded[0]?.tracks ?? [];
    if (c !== undefined) list.reveal(c);
    expect([idsOf(list), list.focused?.id]).toEqual(['acdb', 'c']);
  });
});

describe('the order of tracks', () => {
  test('a track moves among the shown ones of its group and no further', () => {
    const list = new TrackList(() => groups);
    list.move('a', 1);
    expect(idsOf(list)).toBe('bacdxy');
    list.hide('c');
    list.move('a', 1);
    expect(idsOf(list)).toBe('bdaxy');
    expect(list.move('a', 1)).toBe(false);
    expect(list.move('x', -1)).toBe(false);
    list.place('y', 'b', 'before');
    expect(idsOf(list)).toBe('bdaxy');
    expect(list.focused?.id).toBe('a');
  });

  test('pinned tracks move among themselves and come back to where they were', () => {
    const list = new TrackList(() => groups);
    list.togglePinned('b');
    list.togglePinned('y');
    list.move('y', -1);
    expect(idsOf(list)).toBe('ybacdx');
    list.togglePinned('y');
    list.togglePinned('b');
    expect(idsOf(list)).toBe('abcdxy');
  });

  test('a track that arrives later stands behind the one it follows', () => {
    let known = [group('cpu', ['a', 'b', 'd'])];
    const list = new TrackList(() => known);
    list.place('d', 'a', 'before');
    known = groups;
    const later = new TrackList(() => known);
    later.restore(list.saved());
    expect(idsOf(later)).toBe('dabcxy');
  });

  test('moving loses no track and makes none, and is saved', () => {
    const moves = fc.array(
      fc.tuple(fc.constantFrom(...'abcdxy'), fc.constantFrom<1 | -1>(1, -1), fc.boolean()),
    );
    fc.assert(
      fc.property(moves, (steps) => {
        const list = new TrackList(() => groups);
        for (const [id, by, pins] of steps) {
          if (pins) list.togglePinned(id);
          else list.move(id, by);
        }
        expect([...idsOf(list)].sort().join('')).toBe('abcdxy');
        const again = new TrackList(() => groups);
        again.restore(list.saved());
        expect(idsOf(again)).toBe(idsOf(list));
      }),
    );
  });
});

test('what a view keeps of the tracks fits the saved view, whatever their names', () => {
  const endless = 'n'.repeat(900);
  const many = Array.from({ length: 2_500 }, (_, index) => `track ${index}`);
  const list = new TrackList(() => [group('long', [endless, ...many])]);
  list.togglePinned(endless);
  list.move('track 1', 1);
  list.filterText = 'f'.repeat(700);
  const saved = { tab: 'timeline', tracks: list.saved() };
  expect(savedView.safeParse(saved).success).toBe(true);
});

describe('tracks arranged for what is looked at', () => {
  const byId = new Map(groups.flatMap((each) => each.tracks).map((each) => [each.id, each]));
  const arranged = (...ids: readonly string[]) => {
    const list = new TrackList(
      () => groups,
      () => ids.flatMap((id) => byId.get(id) ?? []),
    );
    list.arrange(true);
    return list;
  };
  const groupsOf = (list: TrackList) =>
    list.layout.rows.flatMap((row) =>
      row.kind === 'group' ? [`${row.group.label} ${row.group.detail}`.trim()] : [],
    );

  test('stand on top in their order, all others folded below, and come back as they were', () => {
    const list = arranged('y', 'b');
    list.togglePinned('c');
    expect(idsOf(list)).toBe('ybc');
    expect(groupsOf(list)).toEqual(['What matters here 3 of 6 tracks', 'cpu', 'gpu']);
    list.arrange(false);
    expect(idsOf(list)).toBe('cabdxy');
  });

  test('a group that is opened meanwhile is not open later', () => {
    const list = arranged('y');
    const [, cpu] = list.layout.rows.filter(({ kind }) => kind === 'group');
    if (cpu !== undefined) list.toggleExpanded(cpu);
    expect(idsOf(list)).toBe('yabcd');
    list.arrange(false);
    list.arrange(true);
    expect(idsOf(list)).toBe('y');
  });

  test('where most of a high window would stay blank, the groups that fit are open, until they are closed', () => {
    const list = arranged('y');
    const groupNamed = (id: string) => list.layout.rows.find((row) => row.id === id);
    const toggle = (id: string) => {
      const row = groupNamed(id);
      if (row !== undefined) list.toggleExpanded(row);
    };
    const folded = list.layout.height;
    list.roomPx = 2 * folded - 1;
    expect(idsOf(list)).toBe('y');
    // Of both groups only the one with the fewer tracks fits.
    list.roomPx = 2 * folded;
    expect(idsOf(list)).toBe('yx');
    list.roomPx = 10 * folded;
    expect(idsOf(list)).toBe('yabcdx');
    toggle('cpu');
    expect(idsOf(list)).toBe('yx');
    toggle('cpu');
    expect(idsOf(list)).toBe('yabcdx');
    toggle('cpu');
    list.roomPx = 2 * folded - 1;
    expect(idsOf(list)).toBe('y');
    list.roomPx = 10 * folded;
    expect(idsOf(list)).toBe('yx');
    list.arrange(true);
    expect(idsOf(list)).toBe('yabcdx');
  });

  test('a track that is gone to is shown in its group, and one that is hidden stays so', () => {
    const list = arranged('y', 'b');
    list.hide('b');
    expect(idsOf(list)).toBe('y');
    const x = byId.get('x');
    if (x !== undefined) list.reveal(x);
    expect(idsOf(list)).toBe('yx');
    expect(list.isShown('x')).toBe(true);
  });

  test('who is led finds them so, and as they were once nothing is looked at', () => {
    const list = arranged('y', 'b');
    list.arrange(false);
    const led = () =>
      new TrackList(
        () => groups,
        () => [byId.get('y') ?? track('y')],
      );
    const followed = led();
    followed.lead();
    expect(idsOf(followed)).toBe('y');
    followed.endLead();
    expect(idsOf(followed)).toBe('abcdxy');
    const asked = led();
    asked.arrange(true);
    asked.lead();
    asked.endLead();
    expect(idsOf(asked)).toBe('y');
  });

  test('nobody is led who took it back, or filters the tracks', () => {
    const declined = arranged('y');
    declined.arrange(false);
    declined.lead();
    expect(declined.isArranged).toBe(false);
    declined.arrange(true);
    expect(declined.isArranged).toBe(true);
    const filtering = new TrackList(
      () => groups,
      () => [byId.get('y') ?? track('y')],
    );
    filtering.filterText = 'cpu';
    filtering.lead();
    expect(filtering.isArranged).toBe(false);
  });

  test('come back with their view, which keeps them for a picture', () => {
    const list = arranged('y', 'b');
    expect(list.saved().telling).toEqual(['y', 'b']);
    const again = arranged('y', 'b');
    again.arrange(false);
    expect(again.saved().telling).toBeUndefined();
    again.restore(list.saved());
    expect(idsOf(again)).toBe('yb');
    again.restore({ ...list.saved(), telling: undefined });
    expect(idsOf(again)).toBe('abcdxy');
  });

  test('says whose a track is that stands away from its group, where its name does not', () => {
    const home = (label: string) => {
      const away = { ...track('s'), label };
      const list = new TrackList(() => [
        { ...group('main', []), label: 'Training process', tracks: [away] },
      ]);
      list.togglePinned('s');
      return list.trackRows.map((row) => row.home);
    };
    expect(home('State')).toEqual(['Training process']);
    expect(home('process events')).toEqual(['']);
    expect(arranged().trackRows.every((row) => row.home === '')).toBe(true);
  });

  test('with nothing to tell of they are as they were, and cannot be arranged', () => {
    const list = arranged();
    expect([list.canArrange, idsOf(list)]).toEqual([false, 'abcdxy']);
  });
});
