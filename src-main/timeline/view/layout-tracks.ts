import type { EventLane } from '../model/pyramid.ts';
import { isEventTrack, type LaneView, type Track, type TrackGroup } from '../model/track-model.ts';
import { type FoldView, foldTracks, type StandingTrack } from './fold-tracks.ts';

/** Heights in CSS pixels. */
const EVENT_LANE_HEIGHT = 24;
const STATE_LANE_HEIGHT = 16;
const LINE_HEIGHT = 44;
const BUCKET_HEIGHT = 20;
const GROUP_HEIGHT = 26;
/** Between a track's edge and what it draws. */
export const TRACK_PADDING = 4;
export const PINNED_GROUP_ID = 'pinned';

export interface TrackView {
  readonly hidden: ReadonlySet<string>;
  readonly expanded: ReadonlySet<string>;
  /** Groups the user collapsed, or opened where they start collapsed. */
  readonly collapsedGroups: ReadonlySet<string>;
  readonly pinned: readonly string[];
  /** What the pinned tracks are called, where somebody else than the user pinned some; all other groups start collapsed then. */
  readonly pinnedLabel?: string;
  /** Tracks of groups in which the user moved one: all ids of such a group, from top to bottom. */
  readonly order: readonly string[];
  /** Tracks are shown that are folded under others: a filter picks events of theirs. */
  readonly showsFolded?: boolean;
  /** Whether the filter lets a track through. */
  readonly matches: (track: Track, isPinned: boolean) => boolean;
}

interface GroupRow {
  readonly kind: 'group';
  readonly id: string;
  readonly y: number;
  readonly height: number;
  readonly group: TrackGroup;
  readonly collapsed: boolean;
}

export interface TrackRow {
  readonly kind: 'track';
  readonly id: string;
  readonly y: number;
  readonly height: number;
  readonly laneHeight: number;
  readonly track: Track;
  readonly group: TrackGroup;
  /** What its own group is called, where it stands among the pinned ones and its name does not tell. */
  readonly home: string;
  /** Shows all its lines. */
  readonly expanded: boolean;
  /** How many tracks are folded under it, and whether these are shown. */
  readonly folds: number;
  readonly isUnfolded: boolean;
  /** Id of the track that it stands under. */
  readonly lead: string | undefined;
}

export type Row = GroupRow | TrackRow;

export interface TrackLayout {
  readonly rows: readonly Row[];
  readonly height: number;
}

function laneHeightOf(track: Track): number {
  switch (track.kind) {
    case 'events':
    case 'density':
      return EVENT_LANE_HEIGHT;
    case 'states':
    case 'marks':
      return STATE_LANE_HEIGHT;
    case 'line':
      return LINE_HEIGHT;
    case 'buckets':
      return BUCKET_HEIGHT;
  }
}

/** The lanes a row shows; none for lines and buckets. */
export function shownLanes(row: TrackRow, view?: LaneView): readonly EventLane[] {
  if (!isEventTrack(row.track)) return [];
  return row.expanded ? row.track.lanes(view) : [row.track.summary(view)];
}

/** Tracks in the user's order. One that came later stands behind the track it follows by itself. */
export function inOrder(tracks: readonly Track[], order: readonly string[]): readonly Track[] {
  const places = new Map(order.map((id, place) => [id, place]));
  if (!tracks.some(({ id }) => places.has(id))) return tracks;
  let last = -1;
  const placed = tracks.map((track) => {
    last = places.get(track.id) ?? last;
    return { track, place: last };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ track }) => track);
}

function withPinned(
  groups: readonly TrackGroup[],
  { pinned, pinnedLabel }: Pick<TrackView, 'pinned' | 'pinnedLabel'>,
): TrackGroup[] {
  const tracks = new Map(groups.flatMap((group) => group.tracks).map((track) => [track.id, track]));
  const chosen = pinned.flatMap((id) => tracks.get(id) ?? []);
  if (chosen.length === 0) return [...groups];
  const own = new Set(chosen);
  const folded = Map.groupBy(tracks.values(), ({ under }) => under);
  const areChosen = new Set(
    chosen.flatMap((track) => [
      track,
      ...(folded.get(track.id) ?? []).filter((each) => !own.has(each)),
    ]),
  );
  const isArranged = pinnedLabel !== undefined;
  const rest = groups.map((group) => ({
    ...group,
    ...(isArranged && { startsCollapsed: true as const }),
    tracks: group.tracks.filter((track) => !areChosen.has(track)),
  }));
  const detail = isArranged ? `${chosen.length} of ${tracks.size} tracks` : '';
  const label = pinnedLabel ?? 'Pinned';
  const onTop = { id: PINNED_GROUP_ID, label, detail, foldsTracks: true } as const;
  return [{ ...onTop, tracks: [...areChosen] }, ...rest];
}

/** `State` → `Training process`; nothing for `worker 2` of the DataLoader workers. */
export function homeOf({ label }: Track, own: TrackGroup | undefined): string {
  const [word = ''] = label.toLowerCase().split(' ', 1);
  return own === undefined || own.label.toLowerCase().includes(word) ? '' : own.label;
}

function layoutTrack(
  { track, folds, lead }: StandingTrack,
  group: TrackGroup,
  home: string,
  y: number,
  is: { readonly open: boolean; readonly expanded: boolean },
): TrackRow {
  const { id } = track;
  const expanded = isEventTrack(track) && track.expandable && is.expanded;
  const laneHeight = laneHeightOf(track);
  const lanes = expanded ? track.lanes().length : 1;
  const height = lanes * laneHeight + (lanes - 1) + 2 * TRACK_PADDING;
  const folding = { folds, isUnfolded: folds > 0 && is.open, lead };
  return { kind: 'track', id, y, height, laneHeight, track, group, home, expanded, ...folding };
}

/** Whether a track is hidden, by itself or with the one that it is folded under. */
export function isHidden(
  { id, under }: Track,
  { hidden, pinned }: Pick<TrackView, 'hidden' | 'pinned'>,
): boolean {
  return hidden.has(id) || (under !== undefined && hidden.has(under) && !pinned.includes(id));
}

/** Whether a group shows no tracks; `toggled` has the groups that are not as they start. */
export function isCollapsed(
  { id, startsCollapsed }: TrackGroup,
  toggled: ReadonlySet<string>,
): boolean {
  return toggled.has(id) !== (startsCollapsed === true);
}

/** The groups of the pinned tracks. */
function homesOf(
  groups: readonly TrackGroup[],
  pinned: readonly string[],
): ReadonlyMap<Track, TrackGroup> {
  const ids = new Set(pinned);
  const homes = new Map<Track, TrackGroup>();
  if (ids.size === 0) return homes;
  for (const group of groups)
    for (const track of group.tracks) if (ids.has(track.id)) homes.set(track, group);
  return homes;
}

function standingTracks(
  { foldsTracks }: TrackGroup,
  tracks: readonly Track[],
  fold: FoldView,
): StandingTrack[] {
  return foldsTracks === true
    ? foldTracks(tracks, fold)
    : tracks.map((track) => ({ track, folds: 0 }));
}

/** Groups and tracks as rows from top to bottom. Hidden and filtered tracks, and groups left empty, are out. */
export function layoutTracks(groups: readonly TrackGroup[], view: TrackView): TrackLayout {
  const rows: Row[] = [];
  let y = 0;
  const ordered = groups.map((group) => {
    const tracks = inOrder(group.tracks, view.order);
    return tracks === group.tracks ? group : { ...group, tracks };
  });
  const homes = homesOf(groups, view.pinned);
  const alone = new Set(view.pinned);
  const fold: FoldView = {
    isOpen: (id) => view.showsFolded === true || view.expanded.has(id),
    standsAlone: (id) => alone.has(id),
  };
  for (const group of withPinned(ordered, view)) {
    const tracks = group.tracks.filter(
      (track) => !isHidden(track, view) && view.matches(track, alone.has(track.id)),
    );
    if (tracks.length === 0) continue;
    const collapsed = isCollapsed(group, view.collapsedGroups);
    rows.push({ kind: 'group', id: group.id, y, height: GROUP_HEIGHT, group, collapsed });
    y += GROUP_HEIGHT;
    if (collapsed) continue;
    for (const standing of standingTracks(group, tracks, fold)) {
      const { track } = standing;
      const own = group.id === PINNED_GROUP_ID ? homes.get(track) : undefined;
      const is = { open: fold.isOpen(track.id), expanded: view.expanded.has(track.id) };
      const row = layoutTrack(standing, group, homeOf(track, own), y, is);
      rows.push(row);
      y += row.height;
    }
  }
  return { rows, height: y };
}
