import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import {
  isEventTrack,
  type LaneView,
  type LostStretch,
  mayBeLost,
} from '../../src-main/timeline/model/track-model.ts';
import {
  type Box,
  clippedStretch,
  pixelsPerNs,
  viewOf,
} from '../../src-main/timeline/view/chart-span.ts';
import { rowsIn } from '../../src-main/timeline/view/find-rows.ts';
import {
  type Row,
  shownLanes,
  TRACK_PADDING,
  type TrackRow,
} from '../../src-main/timeline/view/layout-tracks.ts';
import type { TimeTicks } from '../../src-main/timeline/view/time-ticks.ts';
import {
  UNRECORDED_LABEL_PIXELS,
  unrecordedStretches,
} from '../../src-main/timeline/view/unrecorded.ts';
import { drawBuckets } from './draw-buckets.ts';
import { drawDensity } from './draw-density.ts';
import { drawLane, type PlannedLane, planLane } from './draw-lane.ts';
import { drawLine } from './draw-line.ts';
import { fitText } from './paint.ts';
import { onChart, type RowScroll } from './row-scroll.ts';
import type { Frame } from './surface.ts';

/** What the tracks show in one frame. */
interface TrackScene {
  readonly rows: readonly Row[];
  readonly scroll: RowScroll;
  readonly ticks: TimeTicks;
  readonly lost: readonly LostStretch[];
  readonly focusedId: string | undefined;
  /** Where a filter picks events: those of line `line` of a row; the others are dimmed. */
  readonly matched: ((row: TrackRow, line: number, view: LaneView) => EventLane) | undefined;
  /** Beside it all is faded: no name runs over where it begins and ends. */
  readonly marked: TimeWindow | undefined;
}

const UNRECORDED_PADDING = 6;
const UNRECORDED_HALO = 4;

/** How much of what a filter does not pick is covered. */
const DIMMED = 0.8;

function drawGrid(frame: Frame, ticks: TimeTicks, { y, height }: Box): void {
  const { context, theme } = frame;
  const scale = pixelsPerNs(frame);
  context.strokeStyle = theme.border;
  context.lineWidth = 1;
  context.globalAlpha = 0.45;
  context.beginPath();
  for (const { ns } of ticks.ticks) {
    const x = Math.round((ns - frame.window.startNs) * scale) + 0.5;
    context.moveTo(x, y);
    context.lineTo(x, y + height);
  }
  context.stroke();
  context.globalAlpha = 1;
}

function hatch(frame: Frame, stretch: TimeWindow, box: Box, fill: CanvasPattern | string): void {
  const place = clippedStretch(frame, stretch);
  if (place === undefined) return;
  frame.context.fillStyle = fill;
  frame.context.fillRect(place.left, box.y, Math.max(1, place.right - place.left), box.height);
}

/** Over the tracks of the table that lost events, or over everything where that is not known. */
function hatchLost(
  frame: Frame,
  stretch: LostStretch,
  rows: readonly Row[],
  box: Box,
  scroll: RowScroll,
): void {
  const { lost } = frame.paint;
  const isOfAll = stretch.table === undefined && stretch.host === undefined;
  if (isOfAll) hatch(frame, stretch, box, lost);
  else
    for (const row of rows)
      if (row.kind === 'track' && mayBeLost(stretch, row.track))
        hatch(frame, stretch, { y: onChart(row.y, scroll), height: row.height }, lost);
}

function hatchUnrecorded(frame: Frame, row: TrackRow, box: Box): void {
  const { context, theme, paint } = frame;
  for (const stretch of unrecordedStretches(row.track, frame)) {
    hatch(frame, stretch, box, paint.notRecorded);
    const place = clippedStretch(frame, stretch);
    if (place === undefined || place.right - place.left < UNRECORDED_LABEL_PIXELS) continue;
    context.fillStyle = theme.muted;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    const room = place.right - place.left - 2 * UNRECORDED_PADDING;
    const text = fitText(context, paint.textWidths, stretch.text, room);
    const middle = box.y + box.height / 2 + 0.5;
    // The hatching would strike the words through.
    context.strokeStyle = theme.background;
    context.lineWidth = UNRECORDED_HALO;
    context.lineJoin = 'round';
    context.strokeText(text, place.left + UNRECORDED_PADDING, middle);
    context.lineWidth = 1;
    context.fillText(text, place.left + UNRECORDED_PADDING, middle);
  }
}

/** A lane of a row, and whether it is covered before what comes after it is drawn. */
interface RowLane extends PlannedLane {
  readonly isDimmed: boolean;
}

/** The lanes of a row from the lowest to the one that lies over all others; none where it has no events. */
function planRow(frame: Frame, scene: TrackScene, row: Row): readonly RowLane[] {
  if (row.kind === 'group' || !isEventTrack(row.track) || row.track.kind === 'density') return [];
  const { track } = row;
  const view = viewOf(frame);
  const top = onChart(row.y, scene.scroll) + TRACK_PADDING;
  const planned: RowLane[] = [];
  const plan = (lane: EventLane, line: number, labelled: boolean, isDimmed = false) => {
    const box = { y: top + line * (row.laneHeight + 1), height: row.laneHeight };
    planned.push({ ...planLane(frame, lane, box, track, labelled), isDimmed });
  };
  const ground = track.ground?.(view);
  if (ground !== undefined && scene.matched === undefined) plan(ground, 0, true);
  shownLanes(row, view).forEach((lane, line) => {
    plan(lane, line, scene.matched === undefined, scene.matched !== undefined);
    if (scene.matched !== undefined) plan(scene.matched(row, line, view), line, true);
  });
  return planned;
}

function drawEventTrack(frame: Frame, lanes: readonly RowLane[], edges: readonly number[]): void {
  const { context, theme, width } = frame;
  for (const planned of lanes) {
    drawLane(frame, planned, edges);
    if (!planned.isDimmed) continue;
    // Covered, not drawn faint: faint events that overlap add up to a strong one.
    context.globalAlpha = DIMMED;
    context.fillStyle = theme.background;
    context.fillRect(0, planned.box.y, width, planned.box.height);
    context.globalAlpha = 1;
  }
}

function drawTrack(
  frame: Frame,
  { marked }: TrackScene,
  row: TrackRow,
  top: number,
  lanes: readonly RowLane[],
): void {
  const box = { y: top + TRACK_PADDING, height: row.height - 2 * TRACK_PADDING };
  const place = marked && clippedStretch(frame, marked);
  const edges = place === undefined ? [] : [place.left, place.right];
  hatchUnrecorded(frame, row, { y: top, height: row.height });
  if (row.track.kind === 'line') drawLine(frame, row.track, box);
  else if (row.track.kind === 'buckets') drawBuckets(frame, row.track, box);
  else if (row.track.kind === 'density') drawDensity(frame, row.track, box, edges);
  else drawEventTrack(frame, lanes, edges);
}

function drawRowGround(frame: Frame, row: Row, top: number, isFocused: boolean): void {
  const { context, theme } = frame;
  if (row.kind === 'group') {
    context.fillStyle = theme.panel;
    context.fillRect(0, top, frame.width, row.height);
  } else if (isFocused) {
    context.globalAlpha = 0.07;
    context.fillStyle = theme.accent;
    context.fillRect(0, top, frame.width, row.height);
    context.globalAlpha = 1;
  }
  context.fillStyle = theme.border;
  context.globalAlpha = row.kind === 'group' ? 1 : 0.5;
  context.fillRect(0, top + row.height - 1, frame.width, 1);
  context.globalAlpha = 1;
}

/** A row, and its lanes. */
type PlannedRow = readonly [row: Row, lanes: readonly RowLane[]];

/** Rows within a part of the chart, on its ground. */
function drawRows(frame: Frame, scene: TrackScene, planned: readonly PlannedRow[], box: Box): void {
  const { context } = frame;
  const { scroll } = scene;
  context.save();
  context.beginPath();
  context.rect(0, box.y, frame.width, box.height);
  context.clip();
  const rows = planned.map(([row]) => row);
  for (const row of rows)
    drawRowGround(frame, row, onChart(row.y, scroll), row.id === scene.focusedId);
  drawGrid(frame, scene.ticks, box);
  for (const [row, lanes] of planned)
    if (row.kind === 'track') drawTrack(frame, scene, row, onChart(row.y, scroll), lanes);
  for (const stretch of scene.lost) hatchLost(frame, stretch, rows, box, scroll);
  context.restore();
}

/** Every row in view: those that are scrolled, and above them those that stay. */
export function drawTracks(frame: Frame, scene: TrackScene): void {
  const { context, theme, height } = frame;
  const { fixed, top } = scene.scroll;
  context.font = theme.font;
  const plan = (row: Row): PlannedRow => [row, planRow(frame, scene, row)];
  const scrolled = rowsIn(scene.rows, top + fixed, top + height).map(plan);
  const staying = fixed === 0 ? [] : rowsIn(scene.rows, -1, fixed).map(plan);
  frame.strip.put();
  drawRows(frame, scene, scrolled, { y: fixed, height: height - fixed });
  if (fixed === 0) return;
  drawRows(frame, scene, staying, { y: 0, height: fixed });
  context.fillStyle = theme.muted;
  context.fillRect(0, fixed - 1, frame.width, 1);
}
