import type { TimeWindow } from '../../timeline/model/time-window.ts';
import {
  type BucketTrack,
  type EventTrack,
  isEventTrack,
  type LineTrack,
} from '../../timeline/model/track-model.ts';
import { bucketBars } from '../../timeline/view/bucket-bars.ts';
import { type Box, clippedStretch } from '../../timeline/view/chart-span.ts';
import { densityBars, densityLabels } from '../../timeline/view/density-bars.ts';
import { shownLanes, TRACK_PADDING, type TrackRow } from '../../timeline/view/layout-tracks.ts';
import {
  AXIS_HALO,
  AXIS_LEFT,
  axisTicks,
  dotsOf,
  lineRuns,
  type Point,
} from '../../timeline/view/line-points.ts';
import { matchedLane } from '../../timeline/view/matched-lanes.ts';
import { choosesEvents, type TrackFilter } from '../../timeline/view/track-filter.ts';
import { UNRECORDED_LABEL_PIXELS, unrecordedStretches } from '../../timeline/view/unrecorded.ts';
import { number, rectangle, rectangles, words } from './picture-shapes.ts';
import type { PictureTheme } from './picture-theme.ts';
import { type Drawing, laneSvg } from './timeline-svg-lane.ts';

/** How much is left of what a filter does not pick. */
const DIMMED = 0.2;

const pathOf = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${number(x)} ${number(y)}`).join('');

function axisSvg({ span, theme }: Drawing, track: LineTrack, box: Box): string {
  const ticks = axisTicks(track, box);
  const grid = ticks.map(({ top }) => ({ x: 0, y: top - 0.5, width: span.width, height: 1 }));
  const labels = ticks.map(({ middle, text }) =>
    words(AXIS_LEFT, middle, text, theme.muted, haloOf(theme, AXIS_HALO)),
  );
  return rectangles(grid, theme.border, ' fill-opacity=".5"') + labels.join('');
}

/** Attributes of text that is drawn over something else. */
const haloOf = ({ background }: PictureTheme, width: number): string =>
  ` stroke="${background}" stroke-width="${width}" stroke-linejoin="round" paint-order="stroke"`;

function lineSvg(drawing: Drawing, track: LineTrack, box: Box): string {
  const { span, theme } = drawing;
  const runs = lineRuns(span, track, box);
  if (runs.length === 0) return '';
  const bottom = number(box.y + box.height);
  const line = runs.map(pathOf).join('');
  const area = runs.map((run) => {
    const right = number((run.at(-1) ?? run[0]).x);
    return `${pathOf(run)}L${right} ${bottom}L${number(run[0].x)} ${bottom}z`;
  });
  const dots = dotsOf(runs, span.width);
  const squares = dots.map(({ x, y }) => ({ x: x - 1.5, y: y - 1.5, width: 3, height: 3 }));
  return [
    `<path fill="none" stroke="${theme.accent}" stroke-width="1.5" stroke-linejoin="round" d="${line}"/>`,
    rectangles(squares, theme.accent),
    `<path fill="${theme.accent}" fill-opacity=".12" d="${area.join('')}"/>`,
    axisSvg(drawing, track, box),
  ].join('');
}

function bucketSvg({ span, theme, ruler }: Drawing, track: BucketTrack, box: Box): string {
  return bucketBars(span, track, box)
    .map((bar) => {
      const shape = {
        x: bar.x,
        y: bar.top,
        width: bar.width,
        height: box.y + box.height - bar.top,
      };
      const text = bar.room === 0 ? '' : ruler.fit(bar.text, bar.room);
      return (
        rectangle(shape, theme.fills[track.colour] ?? '', ' fill-opacity=".45"') +
        rectangle(shape, 'url(#not-recorded)') +
        words(bar.textLeft, box.y + box.height / 2, text, theme.text, haloOf(theme, 4))
      );
    })
    .join('');
}

/** A hatched stretch of time; whether in words, too, is the caller's. */
export function hatchSvg({ span }: Drawing, stretch: TimeWindow, box: Box, id: string): string {
  const place = clippedStretch(span, stretch);
  if (place === undefined) return '';
  const width = Math.min(Math.max(1, place.right - place.left), span.width - place.left);
  return rectangle({ x: place.left, width, ...box }, `url(#${id})`);
}

function unrecordedSvg(drawing: Drawing, row: TrackRow): string {
  const box = { y: 0, height: row.height };
  return unrecordedStretches(row.track, drawing.span)
    .map((stretch) => {
      const place = clippedStretch(drawing.span, stretch);
      const isWide = place !== undefined && place.right - place.left >= UNRECORDED_LABEL_PIXELS;
      const hatched = hatchSvg(drawing, stretch, box, 'not-recorded');
      if (!isWide) return hatched;
      const { ruler, theme } = drawing;
      const text = ruler.fit(stretch.text, place.right - place.left - 12);
      const halo = haloOf(theme, 4);
      return hatched + words(place.left + 6, row.height / 2, text, theme.muted, halo);
    })
    .join('');
}

/** As a busy share, with what the ground is called where that fits. */
function densitySvg(drawing: Drawing, track: EventTrack, box: Box): string {
  const { span, theme, used } = drawing;
  const bars = densityBars(span, track.lanes(), box).map(({ colour, ...bar }) => {
    used.add(colour);
    return rectangle(bar, theme.fills[colour] ?? '');
  });
  const named = densityLabels(span, track, drawing.ruler).map(({ left, text }) =>
    words(left, box.y + box.height / 2, text, theme.muted),
  );
  return bars.join('') + named.join('');
}

function eventSvg(drawing: Drawing, row: TrackRow, filter: TrackFilter): string {
  const track = row.track as EventTrack;
  const ground = track.ground?.();
  const isFiltered = choosesEvents(filter);
  const first = { y: TRACK_PADDING, height: row.laneHeight };
  const below =
    ground === undefined || isFiltered ? '' : laneSvg(drawing, ground, first, track, true);
  const lanes = shownLanes(row).map((lane, index) => {
    const box = { y: TRACK_PADDING + index * (row.laneHeight + 1), height: row.laneHeight };
    if (!isFiltered) return laneSvg(drawing, lane, box, track, true);
    const dimmed = laneSvg(drawing, lane, box, track, false);
    const matched = laneSvg(drawing, matchedLane(track, lane, filter), box, track, true);
    return `<g opacity="${DIMMED}">${dimmed}</g>${matched}`;
  });
  return below + lanes.join('');
}

/** What a track's row shows; y is from the row's top. */
export function trackSvg(drawing: Drawing, row: TrackRow, filter: TrackFilter): string {
  const { track } = row;
  const box = { y: TRACK_PADDING, height: row.height - 2 * TRACK_PADDING };
  const unrecorded = unrecordedSvg(drawing, row);
  if (track.kind === 'line') return unrecorded + lineSvg(drawing, track, box);
  if (track.kind === 'buckets') return unrecorded + bucketSvg(drawing, track, box);
  if (track.kind === 'density') return unrecorded + densitySvg(drawing, track, box);
  return isEventTrack(track) ? unrecorded + eventSvg(drawing, row, filter) : unrecorded;
}
