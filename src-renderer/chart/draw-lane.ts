import { marks, NAME_INK } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import type { EventTrack } from '../../src-main/timeline/model/track-model.ts';
import { type Box, thinBox } from '../../src-main/timeline/view/chart-span.ts';
import {
  LABELLED_HEIGHT,
  type LaneLabel,
  laneLabels,
} from '../../src-main/timeline/view/lane-labels.ts';
import {
  colourBatches,
  isDense,
  type LaneRectangle,
  PATTERN_PIXELS,
  visibleRectangles,
} from '../../src-main/timeline/view/lane-rectangles.ts';
import { drawStrip } from './draw-strip.ts';
import { textRuler, textWidth } from './paint.ts';
import type { Frame } from './surface.ts';

const LABEL_PADDING = 4;

function fillRectangles(
  frame: Frame,
  rectangles: readonly LaneRectangle[],
  box: Box,
  colour: number,
) {
  const { context, theme, paint } = frame;
  const pattern = marks.get(colour)?.pattern;
  const { y, height } = pattern === 'thin' ? thinBox(box) : box;
  context.fillStyle = theme.fills[colour];
  for (const { x, width } of rectangles)
    if (width < PATTERN_PIXELS) context.fillRect(x, y, width, height);
  context.fillStyle = paint.fills[colour];
  for (const { x, width } of rectangles)
    if (width >= PATTERN_PIXELS) context.fillRect(x, y, width, height);
  if (pattern !== 'outline') return;
  context.strokeStyle = theme.muted;
  for (const { x, width } of rectangles)
    if (width >= PATTERN_PIXELS) context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

function drawLabel(frame: Frame, { text, left, colour }: LaneLabel, box: Box): void {
  const { context, theme, paint } = frame;
  const mark = marks.get(colour);
  const middle = box.y + box.height / 2 + 0.5;
  if (mark !== undefined) {
    // The pattern ends where the text begins.
    const width = textWidth(context, paint.textWidths, text) + LABEL_PADDING;
    context.fillStyle = theme.fills[colour];
    context.fillRect(left - LABEL_PADDING / 2, middle - 6, width, 12);
  }
  context.fillStyle = mark?.text ?? NAME_INK;
  context.fillText(text, left, middle);
}

function drawLabels(
  frame: Frame,
  lane: EventLane,
  rectangles: readonly LaneRectangle[],
  box: Box,
  track: EventTrack,
): void {
  const { context } = frame;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const label of laneLabels(lane, rectangles, track, frame.width, textRuler(frame)))
    drawLabel(frame, label, box);
}

/** A lane of events, states or moments in `box`; `labelled` = with names where they fit. */
export function drawLane(
  frame: Frame,
  lane: EventLane,
  box: Box,
  track: EventTrack,
  labelled: boolean,
): void {
  const isMark = track.kind === 'marks';
  if (isDense(frame, lane)) drawStrip(frame, lane, box);
  const rectangles = visibleRectangles(frame, lane, isMark);
  for (const [colour, batch] of colourBatches(lane, rectangles)) {
    fillRectangles(frame, batch, box, colour);
  }
  if (labelled && !isMark && box.height >= LABELLED_HEIGHT)
    drawLabels(frame, lane, rectangles, box, track);
}
