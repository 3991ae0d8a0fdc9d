import type { TimeWindow } from '../../timeline/model/time-window.ts';
import { type LostStretch, mayBeLost } from '../../timeline/model/track-model.ts';
import { type ChartSpan, clippedStretch, pixelsPerNs } from '../../timeline/view/chart-span.ts';
import {
  type Row,
  shownLanes,
  TRACK_PADDING,
  type TrackLayout,
} from '../../timeline/view/layout-tracks.ts';
import type { EventHit } from '../../timeline/view/locate-event.ts';
import { VEIL_OPACITY } from '../../timeline/view/range-veil.ts';
import type { TrackFilter } from '../../timeline/view/track-filter.ts';
import { rectangle, rectangles, words } from './picture-shapes.ts';
import type { Drawing } from './timeline-svg-lane.ts';
import { hatchSvg, trackSvg } from './timeline-svg-tracks.ts';

const LABEL_LEFT = 12;
const LABEL_GAP = 6;
/** How much wider than usual letters bold ones are, in the widest of the usual fonts. */
const BOLD = 1.2;

/** Name and detail of a row in the column of labels, `width` pixels wide. */
function labelSvg({ theme, ruler, clean }: Drawing, row: Row, width: number): string {
  const isGroup = row.kind === 'group';
  const { label, detail } = isGroup ? row.group : row.track;
  const left = isGroup ? LABEL_LEFT : LABEL_LEFT + 12;
  const badge = isGroup || row.track.badge === '' ? '' : row.track.badge;
  const badgeWidth = badge === '' ? 0 : ruler.width(badge) + LABEL_GAP;
  const room = width - left - 6 - badgeWidth;
  const collapsed = isGroup && row.collapsed ? ' (collapsed)' : '';
  const weight = isGroup ? BOLD : 1;
  const name = ruler.fit(clean(label) + collapsed, room / weight);
  const nameWidth = ruler.width(name) * weight + LABEL_GAP;
  const rest = detail === '' ? '' : ruler.fit(clean(detail), room - nameWidth);
  const middle = row.height / 2;
  return (
    words(left, middle, name, theme.text, isGroup ? ' font-weight="600"' : '') +
    words(left + nameWidth, middle, rest, theme.muted) +
    words(width - 6, middle, badge, theme.muted, ' text-anchor="end"')
  );
}

const at = (y: number, svg: string): string =>
  svg === '' ? '' : `<g transform="translate(0 ${y})">${svg}</g>`;

/** The column of labels with the grounds of the rows, over the picture's whole width. */
export function labelsSvg(drawing: Drawing, rows: readonly Row[], labelWidth: number): string {
  const { theme, span } = drawing;
  const width = labelWidth + span.width;
  return rows
    .map((row) => {
      const isGroup = row.kind === 'group';
      const ground = isGroup
        ? rectangle({ x: 0, y: 0, width, height: row.height }, theme.panel)
        : '';
      const line = { x: 0, y: row.height - 1, width, height: 1 };
      const border = rectangle(line, theme.border, isGroup ? '' : ' fill-opacity=".5"');
      return at(row.y, ground + border + labelSvg(drawing, row, labelWidth));
    })
    .join('');
}

/** What the rows show, one group of shapes a row. */
export function rowsSvg(drawing: Drawing, layout: TrackLayout, filter: TrackFilter): string {
  return layout.rows
    .map((row) => (row.kind === 'group' ? '' : at(row.y, trackSvg(drawing, row, filter))))
    .join('');
}

/** Hatching over the tracks of the table that lost events, or over all where that is not known. */
export function lostSvg(
  drawing: Drawing,
  layout: TrackLayout,
  lost: readonly LostStretch[],
): string {
  return lost
    .map((stretch) => {
      if (stretch.table === undefined && stretch.host === undefined)
        return hatchSvg(drawing, stretch, { y: 0, height: layout.height }, 'lost');
      const rows = layout.rows.filter(
        (row) => row.kind === 'track' && mayBeLost(stretch, row.track),
      );
      return rows
        .map(({ y, height }) => hatchSvg(drawing, stretch, { y, height }, 'lost'))
        .join('');
    })
    .join('');
}

/** The edges of the selected range, and a veil over what lies beside it, `height` px high; empty where it is beside the picture. */
export function rangeSvg({ span, theme }: Drawing, range: TimeWindow, height: number): string {
  const place = clippedStretch(span, range);
  if (place === undefined) return '';
  const box = { y: 0, height };
  const beside = [
    { x: 0, width: place.left, ...box },
    { x: place.right, width: span.width - place.right, ...box },
  ];
  return (
    rectangles(beside, theme.background, ` fill-opacity="${VEIL_OPACITY}"`) +
    [place.left, place.right]
      .map((x) => rectangle({ x: Math.round(x), width: 1, ...box }, theme.accent))
      .join('')
  );
}

function eventBox(span: ChartSpan, layout: TrackLayout, { track, lane, index }: EventHit) {
  const row = layout.rows.find(({ id }) => id === track.id);
  if (row?.kind !== 'track') return undefined;
  const laneIndex = Math.max(0, shownLanes(row).indexOf(lane));
  const scale = pixelsPerNs(span);
  const left = (lane.times.startNs(index) - span.window.startNs) * scale;
  const x = Math.max(left, -6);
  const right = Math.min(left + lane.times.durationNs(index) * scale, span.width + 6);
  const y = row.y + TRACK_PADDING + laneIndex * (row.laneHeight + 1);
  return right < 0 || x > span.width
    ? undefined
    : { x, y, width: Math.max(3, right - x), height: row.laneHeight };
}

/** The selected event's outline in two colours, so that it shows on every other. */
export function selectedSvg({ span, theme }: Drawing, layout: TrackLayout, hit: EventHit): string {
  const box = eventBox(span, layout, hit);
  if (box === undefined) return '';
  const outline = (by: number) => ({
    x: box.x - by,
    y: box.y - by,
    width: box.width + 2 * by,
    height: box.height + 2 * by,
  });
  return (
    rectangle(outline(0.5), 'none', ` stroke="${theme.background}"`) +
    rectangle(outline(2), 'none', ` stroke="${theme.text}" stroke-width="2"`)
  );
}
