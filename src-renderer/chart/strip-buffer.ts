import { type StripColumns, stripColumns } from '../../src-main/timeline/view/strip-columns.ts';

/**
 * Room for one row of pixels of a dense lane: row 0 is stretched over the lane's height, row 1 over
 * its middle third, for states drawn as a thin bar. Kept between frames so that drawing allocates nothing.
 */
export interface StripBuffer {
  readonly columns: StripColumns;
  readonly pixels: Uint32Array;
  readonly image: ImageData;
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
}

export const STRIP_ROWS = 2;

/** A buffer for `width` device pixels; `previous` again where it is of that width. */
export function stripBuffer(width: number, previous?: StripBuffer): StripBuffer {
  if (previous?.width === width) return previous;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = STRIP_ROWS;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('this browser has no 2D canvas');
  const image = context.createImageData(width, STRIP_ROWS);
  return {
    context,
    image,
    width,
    pixels: new Uint32Array(image.data.buffer),
    columns: stripColumns(width),
  };
}
