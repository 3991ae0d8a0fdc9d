import { isEventTrack } from '../model/track-model.ts';
import type { Row } from './layout-tracks.ts';

/** Whether there is more to show of a row: the tracks of a group, those folded under a track, or more of its lines. */
export const isExpandable = (row: Row): boolean =>
  row.kind === 'group' || row.folds > 0 || (isEventTrack(row.track) && row.track.expandable);

/** Whether that is shown. */
export const isOpen = (row: Row): boolean =>
  row.kind === 'group' ? !row.collapsed : row.expanded || row.isUnfolded;
