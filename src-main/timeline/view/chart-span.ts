import type { TimeWindow } from '../model/time-window.ts';
import type { LaneView } from '../model/track-model.ts';

/** A stretch of time and how wide it is drawn, CSS pixels. */
export interface ChartSpan {
  readonly window: TimeWindow;
  readonly width: number;
  /** Device pixels of a CSS pixel. */
  readonly pixelRatio: number;
}

/** CSS pixels that one ns is drawn wide. */
export const pixelsPerNs = ({ width, window }: Pick<ChartSpan, 'width' | 'window'>): number =>
  width / (window.endNs - window.startNs);

/** How many columns of device pixels there are. */
export const columnCount = ({ width, pixelRatio }: ChartSpan): number =>
  Math.max(1, Math.round(width * pixelRatio));

/** What of tracks it shows. */
export const viewOf = (span: ChartSpan): LaneView => ({
  startNs: span.window.startNs,
  endNs: span.window.endNs,
  nsPerPixel: (span.window.endNs - span.window.startNs) / columnCount(span),
});

/** `value` on a whole device pixel, so that edges are crisp. */
export const crisp = (value: number, pixelRatio: number): number =>
  Math.round(value * pixelRatio) / pixelRatio;

/** Where a stretch of time is drawn, cut to the chart; nothing where it is beside it. */
export function clippedStretch(
  span: ChartSpan,
  { startNs, endNs }: TimeWindow,
): { readonly left: number; readonly right: number } | undefined {
  const scale = pixelsPerNs(span);
  const left = Math.max(0, (startNs - span.window.startNs) * scale);
  const right = Math.min(span.width, (endNs - span.window.startNs) * scale);
  return right <= left ? undefined : { left, right };
}

/** Where on a chart something goes, CSS pixels. */
export interface Box {
  readonly y: number;
  readonly height: number;
}

/** The middle third of a lane, where a sleeping thread is drawn. */
export function thinBox(box: Box): Box {
  const height = Math.round(box.height / 3);
  return { y: box.y + Math.round((box.height - height) / 2), height };
}
