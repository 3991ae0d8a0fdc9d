import { firstEndingAt, firstStartingAt } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';
import { isEventTrack, type LineTrack, type Track } from '../model/track-model.ts';
import { type ChartSpan, pixelsPerNs, viewOf } from './chart-span.ts';
import { isDense } from './lane-rectangles.ts';

/** A stretch at least this wide says in words that nothing was recorded, CSS pixels. */
export const UNRECORDED_LABEL_PIXELS = 90;

/** A stretch of a track of which nothing is known, and what is said in it. */
interface UnrecordedStretch extends TimeWindow {
  readonly text: string;
}

/** Where the source recorded nothing of a track, as far as the span shows: before, after, between samples. */
export function unrecordedStretches(track: Track, span: ChartSpan): UnrecordedStretch[] {
  const { window } = span;
  const { recorded = window, unrecorded = 'not recorded' } = track;
  const gaps = track.kind === 'line' ? shownGaps(track, span) : [];
  return [
    { startNs: window.startNs, endNs: recorded.startNs, text: unrecorded },
    ...gaps.map(({ startNs, endNs }) => ({ startNs, endNs, text: 'no sample' })),
    ...stretchesBetween(track, span),
    { startNs: recorded.endNs, endNs: window.endNs, text: unrecorded },
  ]
    .map(({ startNs, endNs, text }) => ({
      startNs: Math.max(startNs, window.startNs),
      endNs: Math.min(endNs, window.endNs),
      text,
    }))
    .filter(({ startNs, endNs }) => endNs > startNs);
}

/** The gaps of a line that the span shows, at least a pixel wide: never more than there are pixels. */
export function shownGaps({ gaps }: LineTrack, span: ChartSpan): TimeWindow[] {
  const { window } = span;
  const pixelNs = 1 / pixelsPerNs(span);
  return gaps.filter(
    ({ startNs, endNs }) =>
      endNs - startNs >= pixelNs && endNs > window.startNs && startNs < window.endNs,
  );
}

/** Of a track that is recorded only at times, where there is no event, with room for the words; none where not all events are here. */
function stretchesBetween(track: Track, span: ChartSpan): UnrecordedStretch[] {
  const { window } = span;
  if (!isEventTrack(track) || track.between === undefined) return [];
  const lane = track.summary(viewOf(span));
  if (isDense(span, lane)) return [];
  const leastNs = UNRECORDED_LABEL_PIXELS / pixelsPerNs(span);
  const found: UnrecordedStretch[] = [];
  const add = (startNs: number, endNs: number) => {
    if (endNs - startNs >= leastNs) found.push({ startNs, endNs, text: track.between ?? '' });
  };
  let fromNs = window.startNs;
  const to = firstStartingAt(lane, window.endNs);
  for (let index = firstEndingAt(lane, window.startNs); index < to; index++) {
    const startNs = lane.times.startNs(index);
    add(fromNs, startNs);
    fromNs = Math.max(fromNs, startNs + lane.times.durationNs(index));
  }
  add(fromNs, window.endNs);
  return found;
}
