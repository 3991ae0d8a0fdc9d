import { marks, NAME_INK } from '../../src-main/timeline/model/colours.ts';
import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import type { EventTrack } from '../../src-main/timeline/model/track-model.ts';
import type { Box } from '../../src-main/timeline/view/chart-span.ts';
import {
  LABELLED_HEIGHT,
  type LaneLabel,
  laneLabels,
} from '../../src-main/timeline/view/lane-labels.ts';
import { drawEvents, type LaneParts, planEvents } from './draw-rectangles.ts';
import { textRuler, textWidth } from './paint.ts';
import type { Frame } from './surface.ts';

const LABEL_PADDING = 4;

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

/** A lane of events, states or moments, of which `parts` are drawn, and with names where they fit. */
export interface PlannedLane {
  readonly lane: EventLane;
  readonly box: Box;
  readonly track: EventTrack;
  readonly labelled: boolean;
  readonly parts: LaneParts;
}

/** Paints what of a lane in `box` is drawn as rows of pixels; it can be drawn when the sheet is put. */
export function planLane(
  frame: Frame,
  lane: EventLane,
  box: Box,
  track: EventTrack,
  labelled: boolean,
): PlannedLane {
  const parts = planEvents(frame, lane, track.kind === 'marks', box);
  return { lane, box, track, labelled, parts };
}

/** `edges`: where what is marked begins and ends, CSS pixels. */
export function drawLane(
  frame: Frame,
  { lane, box, track, labelled, parts }: PlannedLane,
  edges: readonly number[],
): void {
  const { context } = frame;
  drawEvents(frame, parts, box);
  if (!labelled || track.kind === 'marks' || box.height < LABELLED_HEIGHT) return;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const label of laneLabels(frame, lane, track, textRuler(frame), edges))
    drawLabel(frame, label, box);
}
