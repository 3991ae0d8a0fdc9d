import { rowAt } from '../../../src-main/timeline/view/find-rows.ts';
import type { TrackLayout, TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import { clamp } from '../../lib/clamp.ts';

/** Where a dragged track would go. */
export interface DropPlace {
  readonly beside: string;
  readonly side: 'before' | 'after';
  /** Of the line that shows it, pixels from the layout's top. */
  readonly y: number;
}

/** The place `y` pixels from the top stands for, in the dragged track's own group; nothing where it would stay. */
export function dropPlace(layout: TrackLayout, id: string, y: number): DropPlace | undefined {
  const rows = layout.rows.filter((row): row is TrackRow => row.kind === 'track');
  const row = rows.find((each) => each.id === id);
  // Those folded under another one stay there.
  const siblings = rows.filter(
    (each) => each.group.id === row?.group.id && each.lead === row?.lead,
  );
  const first = siblings[0];
  const last = siblings.at(-1);
  if (row === undefined || first === undefined || last === undefined) return undefined;
  const inside = clamp(y, first.y, last.y + last.height - 1);
  const target = rowAt(layout, inside);
  if (target === undefined || target.id === id || !siblings.includes(target as TrackRow))
    return undefined;
  const side = inside < target.y + target.height / 2 ? 'before' : 'after';
  const by = siblings.indexOf(target as TrackRow) - siblings.indexOf(row);
  if ((side === 'before' && by === 1) || (side === 'after' && by === -1)) return undefined;
  return { beside: target.id, side, y: target.y + (side === 'after' ? target.height : 0) };
}
