import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import type { Paint } from './paint.ts';
import type { StripSheet } from './strip-sheet.ts';
import type { ChartTheme } from './theme.ts';

/** All that drawing one frame needs; sizes in CSS pixels. */
export interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly theme: ChartTheme;
  readonly paint: Paint;
  readonly strip: StripSheet;
  readonly pixelRatio: number;
  readonly width: number;
  readonly height: number;
  readonly window: TimeWindow;
}

/**
 * Gives the canvas `width` × `height` CSS pixels at the screen's density and clears it, or fills it with `ground`: to clear it
 * first, and then to fill all of it, takes a software renderer milliseconds.
 */
export function prepareCanvas(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  pixelRatio: number,
  ground?: string,
): void {
  const { canvas } = context;
  const deviceWidth = Math.max(1, Math.round(width * pixelRatio));
  const deviceHeight = Math.max(1, Math.round(height * pixelRatio));
  if (canvas.width !== deviceWidth) canvas.width = deviceWidth;
  if (canvas.height !== deviceHeight) canvas.height = deviceHeight;
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (ground === undefined) context.clearRect(0, 0, deviceWidth, deviceHeight);
  else {
    context.fillStyle = ground;
    context.fillRect(0, 0, deviceWidth, deviceHeight);
  }
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
}
