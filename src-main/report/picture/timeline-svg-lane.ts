import { marks, NAME_INK } from '../../timeline/model/colours.ts';
import type { EventLane } from '../../timeline/model/pyramid.ts';
import type { EventTrack } from '../../timeline/model/track-model.ts';
import { type Box, type ChartSpan, thinBox } from '../../timeline/view/chart-span.ts';
import { LABELLED_HEIGHT, laneLabels, type TextRuler } from '../../timeline/view/lane-labels.ts';
import {
  colourBatches,
  isDense,
  type LaneRectangle,
  PATTERN_PIXELS,
  visibleRectangles,
} from '../../timeline/view/lane-rectangles.ts';
import { fillStrip, NO_COLOUR, type StripColumns } from '../../timeline/view/strip-columns.ts';
import { labelGround, number, rectangles, words } from './picture-shapes.ts';
import type { PictureTheme } from './picture-theme.ts';

/** What drawing the tracks of one picture needs. */
export interface Drawing {
  readonly span: ChartSpan;
  readonly theme: PictureTheme;
  readonly strip: StripColumns;
  readonly ruler: TextRuler;
  /** Makes a name from the trace fit to be shown. */
  readonly clean: (text: string) => string;
  /** Palette indexes that were drawn, for the legend. */
  readonly used: Set<number>;
}

/** Opacities of a strip are drawn in this many steps, so that neighbours join. */
const OPACITY_STEPS = 5;

/** The id of a state's pattern, by its palette index. */
export const patternId = (colour: number): string => `state-${colour}`;

const step = (opacity: number): number => Math.ceil((opacity / 255) * OPACITY_STEPS);

const laneBox = (box: Box, colour: number): Box =>
  marks.get(colour)?.pattern === 'thin' ? thinBox(box) : box;

/** Columns under a rectangle that covers them need no colour of their own. */
function clearCovered(
  { span, strip }: Drawing,
  rectanglesOnTop: readonly LaneRectangle[],
  lane: EventLane,
): void {
  for (const { index, x, width } of rectanglesOnTop) {
    if (marks.get(lane.colours[index])?.pattern === 'thin') continue;
    const from = Math.max(0, Math.ceil(x * span.pixelRatio));
    strip.colours.fill(NO_COLOUR, from, Math.max(from, Math.floor((x + width) * span.pixelRatio)));
  }
}

/** Columns of equal colour and strength in a row become one rectangle. */
function drawStrip(
  drawing: Drawing,
  lane: EventLane,
  box: Box,
  onTop: readonly LaneRectangle[],
): string {
  const { span, strip, theme } = drawing;
  fillStrip(lane, span.window, strip);
  clearCovered(drawing, onTop, lane);
  const runs = new Map<number, { x: number; width: number }[]>();
  const keyOf = (column: number) => strip.colours[column] * 8 + step(strip.opacities[column]);
  for (let from = 0; from < strip.width; ) {
    const key = keyOf(from);
    let to = from + 1;
    while (to < strip.width && keyOf(to) === key) to++;
    if (strip.colours[from] !== NO_COLOUR) {
      const run = { x: from / span.pixelRatio, width: (to - from) / span.pixelRatio };
      const known = runs.get(key);
      if (known === undefined) runs.set(key, [run]);
      else known.push(run);
    }
    from = to;
  }
  return [...runs]
    .map(([key, boxes]) => {
      const colour = key >> 3;
      drawing.used.add(colour);
      const opacity = (key & 7) / OPACITY_STEPS;
      const shape = laneBox(box, colour);
      return rectangles(
        boxes.map((run) => ({ ...run, ...shape })),
        theme.fills[colour] ?? '',
        opacity === 1 ? '' : ` fill-opacity="${number(opacity)}"`,
      );
    })
    .join('');
}

function drawBatch(
  drawing: Drawing,
  colour: number,
  batch: readonly LaneRectangle[],
  box: Box,
): string {
  const { theme } = drawing;
  drawing.used.add(colour);
  const pattern = marks.get(colour)?.pattern;
  const shape = laneBox(box, colour);
  const fill = theme.fills[colour] ?? '';
  const boxes = batch.flatMap((one) => {
    const x = Math.max(0, one.x);
    const width = Math.min(drawing.span.width, one.x + one.width) - x;
    return width > 0 ? [{ x, width, ...shape }] : [];
  });
  const hasPattern = pattern !== undefined && !['solid', 'thin', 'outline'].includes(pattern);
  const narrow = hasPattern ? boxes.filter(({ width }) => width < PATTERN_PIXELS) : boxes;
  const wide = hasPattern ? boxes.filter(({ width }) => width >= PATTERN_PIXELS) : [];
  const outline = pattern === 'outline' ? ` stroke="${theme.muted}"` : '';
  return rectangles(narrow, fill, outline) + rectangles(wide, `url(#${patternId(colour)})`);
}

function drawLabels(drawing: Drawing, lane: EventLane, box: Box, track: EventTrack): string {
  const { ruler, span, theme } = drawing;
  const middle = box.y + box.height / 2;
  const named = {
    ...track,
    nameOf: (of: EventLane, at: number) => drawing.clean(track.nameOf(of, at)),
  };
  return laneLabels(span, lane, named, ruler)
    .map((label) => {
      const mark = marks.get(label.colour);
      const ground =
        mark === undefined
          ? ''
          : labelGround(label, middle, theme.fills[label.colour] ?? '', ruler);
      return ground + words(label.left, middle, label.text, mark?.text ?? NAME_INK);
    })
    .join('');
}

/** A lane in `box`: strip, rectangles wide enough for edges and, if `labelled`, names where they fit. */
export function laneSvg(
  drawing: Drawing,
  lane: EventLane,
  box: Box,
  track: EventTrack,
  labelled: boolean,
): string {
  const isMark = track.kind === 'marks';
  const shown = visibleRectangles(drawing.span, lane, isMark);
  const strip = isDense(drawing.span, lane) ? drawStrip(drawing, lane, box, shown) : '';
  const batches = [...colourBatches(lane, shown)].map(([colour, batch]) =>
    drawBatch(drawing, colour, batch, box),
  );
  const labels =
    labelled && !isMark && box.height >= LABELLED_HEIGHT
      ? drawLabels(drawing, lane, box, track)
      : '';
  return strip + batches.join('') + labels;
}
