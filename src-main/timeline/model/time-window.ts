import { type ScaleLinear, scaleLinear } from 'd3-scale';

/** A stretch of time, such as the one on screen, ns from the trace's begin. */
export interface TimeWindow {
  readonly startNs: number;
  readonly endNs: number;
}

/** The narrowest window: a nanosecond is then a fat pixel on any screen. */
export const MIN_WINDOW_NS = 20;

/** How long a window is, ns. */
export const spanOf = (window: TimeWindow) => window.endNs - window.startNs;

/** `window` moved and shortened to lie in [0, lengthNs]. */
export function clampWindow(window: TimeWindow, lengthNs: number): TimeWindow {
  const limit = Math.max(lengthNs, MIN_WINDOW_NS);
  const span = Math.min(Math.max(spanOf(window), MIN_WINDOW_NS), limit);
  const grown = (span - spanOf(window)) / 2;
  const startNs = Math.min(Math.max(window.startNs - grown, 0), limit - span);
  return { startNs, endNs: startNs + span };
}

/** `window` shrunk by `factor` (> 1 zooms in), as far as that goes, so that `anchorNs` stays where it is. */
export function zoomWindow(window: TimeWindow, factor: number, anchorNs: number): TimeWindow {
  const by = Math.min(factor, spanOf(window) / MIN_WINDOW_NS);
  return {
    startNs: anchorNs - (anchorNs - window.startNs) / by,
    endNs: anchorNs + (window.endNs - anchorNs) / by,
  };
}

/** `window` moved by `byNs`, later where that is above 0; it may lie outside the trace. */
export function panWindow(window: TimeWindow, byNs: number): TimeWindow {
  return { startNs: window.startNs + byNs, endNs: window.endNs + byNs };
}

/** A window that shows [startNs, endNs) with a margin on both sides. */
export function fitWindow(startNs: number, endNs: number, margin = 0.1): TimeWindow {
  const room = Math.max((endNs - startNs) * margin, 5);
  return { startNs: startNs - room, endNs: endNs + room };
}

/** Time to CSS pixels. d3 subtracts before it divides, so ns stay exact after zooming in. */
export function timeScale(window: TimeWindow, width: number): ScaleLinear<number, number> {
  return scaleLinear().domain([window.startNs, window.endNs]).range([0, width]);
}
