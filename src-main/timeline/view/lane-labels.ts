import { formatDuration } from '../../shared/text/units.ts';
import { stateSwatchOf } from '../model/colours.ts';
import type { EventLane } from '../model/pyramid.ts';
import type { EventTrack } from '../model/track-model.ts';
import type { ChartSpan } from './chart-span.ts';
import { wideRectangles } from './lane-rectangles.ts';

/** A lane at least this high has names on its events. */
export const LABELLED_HEIGHT = 12;
const LABEL_PIXELS = 34;
const LABEL_PADDING = 4;

/** Widths of text as it will be drawn. */
export interface TextRuler {
  width(text: string): number;
  /** `text` cut with … to `width` pixels; empty where nothing readable fits. */
  fit(text: string, width: number): string;
}

/** A name on an event. */
export interface LaneLabel {
  readonly text: string;
  readonly left: number;
  readonly colour: number;
}

/** How long an event of a track took; `≈` where its edges lie between two samples. */
export function durationText(track: EventTrack, lane: EventLane, index: number): string {
  const duration = formatDuration(lane.times.durationNs(index));
  return track.sampledEveryNs === undefined ? duration : `≈ ${duration}`;
}

/** States and steps begin alike, so that one cut short could be another: a word, a number, or nothing. */
function labelText(
  ruler: TextRuler,
  name: string,
  duration: string,
  width: number,
  isState: boolean,
): string {
  const word = isState ? name.replace(/ \(.*/, '') : name;
  const step = /^Step ([\d,]+)$/.exec(name)?.[1];
  const fitting = [
    `${name}  ${duration}`,
    `${word}  ${duration}`,
    word,
    ...(step ? [step] : []),
  ].find((text) => ruler.width(text) <= width);
  return fitting ?? (isState || step !== undefined ? '' : ruler.fit(name, width));
}

/** Between `left` and `right` the widest piece that none of `edges` cuts, CSS pixels. */
function widestPiece(left: number, right: number, edges: readonly number[]): [number, number] {
  const within = edges.filter((edge) => edge > left && edge < right);
  const ends = [left, ...within, right];
  return within
    .map((edge, at): [number, number] => [edge, ends[at + 2]])
    .reduce(
      (widest, piece) => (piece[1] - piece[0] > widest[1] - widest[0] ? piece : widest),
      [left, ends[1]],
    );
}

/** The names that fit on a lane's rectangles. None runs over one of `edges`, in order: beside one all is faded. */
export function laneLabels(
  span: ChartSpan,
  lane: EventLane,
  track: EventTrack,
  ruler: TextRuler,
  edges: readonly number[] = [],
): LaneLabel[] {
  const rectangles = wideRectangles(span, lane, LABEL_PIXELS);
  const labels: LaneLabel[] = [];
  for (const [position, { index, x, width }] of rectangles.entries()) {
    if (width < LABEL_PIXELS) continue;
    // A label ends where an event inside this one begins: that one has a name of its own.
    const inner = rectangles[position + 1]?.x ?? Number.POSITIVE_INFINITY;
    const colour = lane.colours[index];
    const state = stateSwatchOf(colour);
    if (state?.pattern === 'thin') continue;
    const end = Math.min(x + width, span.width, Math.max(inner, 0));
    const [from, to] = widestPiece(Math.max(x, 0), end, edges);
    const left = from + LABEL_PADDING;
    const room = to - left - LABEL_PADDING;
    if (room < LABEL_PIXELS - 2 * LABEL_PADDING) continue;
    const name = track.nameOf(lane, index);
    const text = labelText(
      ruler,
      name,
      durationText(track, lane, index),
      room,
      state !== undefined,
    );
    if (text !== '') labels.push({ text, left, colour });
  }
  return labels;
}
