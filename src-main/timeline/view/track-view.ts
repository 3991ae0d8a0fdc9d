import type { SavedView } from '../../shared/library/view.ts';
import { remember } from '../model/remember.ts';
import type { Track, TrackGroup } from '../model/track-model.ts';
import type { TrackView } from './layout-tracks.ts';
import { hasMatch } from './matched-lanes.ts';
import {
  choosesEvents,
  matchesTrack,
  parseFilter,
  searchText,
  type TrackFilter,
} from './track-filter.ts';

export type SavedTracks = NonNullable<SavedView['tracks']>;

export const noSavedTracks: SavedTracks = {
  pinned: [],
  hidden: [],
  expanded: [],
  collapsedGroups: [],
  order: [],
  filter: '',
};

/**
 * Whether a filter lets a track through, which is also found by the name of its group. Where it
 * picks events, a track needs one of them; a pinned track stays without.
 */
export function trackMatcher(
  groups: readonly TrackGroup[],
  filter: TrackFilter,
): (track: Track, isPinned: boolean) => boolean {
  const texts = filter.words.length === 0 ? undefined : searchTexts(groups);
  const picksEvents = choosesEvents(filter);
  return (track, isPinned) =>
    matchesTrack(filter, track, texts?.get(track) ?? '') &&
    (!picksEvents || isPinned || hasMatch(track, filter));
}

/** Made once: of a hundred thousand tracks they would take longer than all else, with each letter that is typed. */
function searchTexts(groups: readonly TrackGroup[]): ReadonlyMap<Track, string> {
  return remember(groups, 'search texts', () => {
    const texts = new Map<Track, string>();
    for (const { label, detail, tracks } of groups)
      for (const track of tracks) texts.set(track, searchText(track, `${label} ${detail}`));
    return texts;
  });
}

/** `telling` on top of what is pinned, and all else folded but the groups that were opened since. */
export function arranged(
  telling: readonly string[],
  pinned: readonly string[],
  opened: ReadonlySet<string>,
): Pick<TrackView, 'pinned' | 'pinnedLabel' | 'collapsedGroups'> {
  return {
    pinned: [...new Set([...telling, ...pinned])],
    pinnedLabel: 'What matters here',
    collapsedGroups: opened,
  };
}

/** How a saved view shows the tracks; ids the trace does not have are left aside. */
export function trackView(groups: readonly TrackGroup[], saved: SavedTracks): TrackView {
  const { telling = [], pinned } = saved;
  const filter = parseFilter(saved.filter);
  return {
    ...(telling.length > 0
      ? arranged(telling, pinned, new Set())
      : { pinned, collapsedGroups: new Set(saved.collapsedGroups) }),
    order: saved.order,
    hidden: new Set(saved.hidden),
    expanded: new Set(saved.expanded),
    showsFolded: choosesEvents(filter),
    matches: trackMatcher(groups, filter),
  };
}
