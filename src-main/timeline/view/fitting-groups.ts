import type { TrackGroup } from '../model/track-model.ts';
import {
  isCollapsed,
  layoutTracks,
  PINNED_GROUP_ID,
  type TrackLayout,
  type TrackView,
} from './layout-tracks.ts';

/** Less than this share of the room left blank is no reason to unfold anything. Our own choice. */
const BLANK_SHARE = 0.5;
/** Of a track, in CSS pixels; a group with more of them than room is not even tried. */
const LEAST_TRACK_HEIGHT = 24;

/** Heights of the groups' rows below their names, in CSS pixels. */
function openedHeights({ rows }: TrackLayout): ReadonlyMap<string, number> {
  const heights = new Map<string, number>();
  for (const row of rows)
    if (row.kind === 'track')
      heights.set(row.group.id, (heights.get(row.group.id) ?? 0) + row.height);
  return heights;
}

/**
 * Of the groups that `view` folds, those that a window has room for: where most of it would stay blank, each one that
 * still fits as a whole, from top to bottom. `roomPx`: the height of the rows' place.
 */
export function fittingGroups(
  groups: readonly TrackGroup[],
  view: TrackView,
  roomPx: number,
): readonly string[] {
  const folded = layoutTracks(groups, view);
  if (folded.height > roomPx * (1 - BLANK_SHARE)) return [];
  const tried = folded.rows.flatMap((row) =>
    row.kind === 'group' &&
    row.id !== PINNED_GROUP_ID &&
    isCollapsed(row.group, view.collapsedGroups) &&
    row.group.tracks.filter(({ under }) => under === undefined).length * LEAST_TRACK_HEIGHT <=
      roomPx
      ? [row.id]
      : [],
  );
  // They start folded: those named are the ones that don't stay so.
  const collapsedGroups = new Set([...view.collapsedGroups, ...tried]);
  const heights = openedHeights(layoutTracks(groups, { ...view, collapsedGroups }));
  let leftPx = roomPx - folded.height;
  return tried.filter((id) => {
    const height = heights.get(id) ?? 0;
    if (height > leftPx) return false;
    leftPx -= height;
    return true;
  });
}
