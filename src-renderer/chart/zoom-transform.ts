import { type ZoomTransform, zoomIdentity } from 'd3-zoom';
import {
  clampWindow,
  MIN_WINDOW_NS,
  spanOf,
  type TimeWindow,
  timeScale,
} from '../../src-main/timeline/model/time-window.ts';

/** The d3-zoom transform under which the whole trace, `width` pixels wide, shows `window`. */
export function windowToTransform(
  window: TimeWindow,
  lengthNs: number,
  width: number,
): ZoomTransform {
  const scale = Math.max(lengthNs, MIN_WINDOW_NS) / spanOf(window);
  const left = (window.startNs / Math.max(lengthNs, MIN_WINDOW_NS)) * width;
  return zoomIdentity.scale(scale).translate(-left, 0);
}

export function transformToWindow(
  transform: ZoomTransform,
  lengthNs: number,
  width: number,
): TimeWindow {
  const whole = { startNs: 0, endNs: Math.max(lengthNs, MIN_WINDOW_NS) };
  const [startNs = 0, endNs = 0] = transform.rescaleX(timeScale(whole, width)).domain();
  return clampWindow({ startNs, endNs }, lengthNs);
}
