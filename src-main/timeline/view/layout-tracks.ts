import type { EventLane } from '../model/pyramid.ts';
import { isEventTrack, type LaneView, type Track, type TrackGroup } from '../model/track-model.ts';

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
  readonly expanded: boolean;
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
  const areChosen = new Set(chosen);
  const isArranged = pinnedLabel !== undefined;
  const rest = groups.map((group) => ({
    ...group,
    ...(isArranged && { startsCollapsed: true as const }),
    tracks: group.tracks.filter((track) => !areChosen.has(track)),
  }));
  const detail = isArranged ? `${chosen.length} of ${tracks.size} tracks` : '';
  return [{ id: PINNED_GROUP_ID, label: pinnedLabel ?? 'Pinned', detail, tracks: chosen }, ...rest];
}

/** `State` → `Training process`; nothing for `worker 2` of the DataLoader workers. */
function homeOf({ label }: Track, own: TrackGroup | undefined): string {
  const [word = ''] = label.toLowerCase().split(' ', 1);
  return own === undefined || own.label.toLowerCase().includes(word) ? '' : own.label;
}

function layoutTrack(
  track: Track,
  group: TrackGroup,
  home: string,
  y: number,
  view: TrackView,
): TrackRow {
  const expanded = isEventTrack(track) && track.expandable && view.expanded.has(track.id);
  const laneHeight = laneHeightOf(track);
  const lanes = expanded ? track.lanes().length : 1;
  const height = lanes * laneHeight + (lanes - 1) + 2 * TRACK_PADDING;
  return { kind: 'track', id: track.id, y, height, laneHeight, track, group, home, expanded };
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

/** Groups and tracks as rows from top to bottom. Hidden and filtered tracks, and groups left empty, are out. */
export function layoutTracks(groups: readonly TrackGroup[], view: TrackView): TrackLayout {
  const rows: Row[] = [];
  let y = 0;
  const ordered = groups.map((group) => {
    const tracks = inOrder(group.tracks, view.order);
    return tracks === group.tracks ? group : { ...group, tracks };
  });
  const homes = homesOf(groups, view.pinned);
  for (const group of withPinned(ordered, view)) {
    const tracks = group.tracks.filter(
      (track) => !view.hidden.has(track.id) && view.matches(track, group.id === PINNED_GROUP_ID),
    );
    if (tracks.length === 0) continue;
    const collapsed = isCollapsed(group, view.collapsedGroups);
    rows.push({ kind: 'group', id: group.id, y, height: GROUP_HEIGHT, group, collapsed });
    y += GROUP_HEIGHT;
    if (collapsed) continue;
    for (const track of tracks) {
      const isAway = group.id === PINNED_GROUP_ID;
      const own = isAway ? homes.get(track) : undefined;
      const row = layoutTrack(track, group, homeOf(track, own), y, view);
      rows.push(row);
      y += row.height;
    }
  }
  return { rows, height: y };
}
