import { thinColours } from '../../src-main/timeline/model/colours.ts';
import {
  NO_COLOUR,
  type StripColumns,
  stripColumns,
} from '../../src-main/timeline/view/strip-columns.ts';

/** Where on the sheet the rows of a lane are: those that repeat over its height, then that of what is thin. */
export interface StripRows {
  readonly first: number;
  /** After how many rows a pattern repeats; 1 = there is none, and one row stands for all. */
  readonly period: number;
  readonly hasThin: boolean;
}

/** A pattern's tile by pixel; it is as wide as it is high. */
export interface PatternTile {
  readonly pixels: Uint32Array;
  readonly size: number;
}

const OPAQUE = 0xff000000;

/**
 * Rows of pixels, as wide as the chart, that are stretched over the heights of lanes. All lanes of a frame share one sheet, which
 * is handed over once: to hand over each by itself takes a software renderer longer than to draw it. Kept between frames
 * so that drawing allocates nothing.
 */
export class StripSheet {
  readonly columns: StripColumns;
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData;
  #pixels: Uint32Array;
  /** How many rows are taken, and how many there are. */
  #taken = 0;
  #rows = 2;
  // Of the lane that is painted: its first row, the row of what is thin, and of each column the colour of its pattern.
  #first = 0;
  readonly #thin: Uint32Array;
  readonly #patterns: Uint8Array;
  #hasThin = false;
  #hasPatterns = false;

  /** A sheet for `width` device pixels. */
  constructor(width: number, canvas = document.createElement('canvas')) {
    canvas.width = width;
    canvas.height = this.#rows;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('this browser has no 2D canvas');
    this.columns = stripColumns(width);
    this.#context = context;
    this.#image = context.createImageData(width, this.#rows);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#thin = new Uint32Array(width);
    this.#patterns = new Uint8Array(width);
  }

  get width(): number {
    return this.columns.width;
  }

  get canvas(): HTMLCanvasElement {
    return this.#context.canvas;
  }

  /** From here on the rows of another lane are painted. */
  begin(): void {
    this.#first = this.#take(1);
    this.#rowAt(this.#first).fill(0);
    this.#thin.fill(0);
    this.#patterns.fill(0);
    this.#hasThin = this.#hasPatterns = false;
  }

  /** What `columns` tell, in the theme's colours. */
  paintColumns(packed: Uint32Array): void {
    const { width, colours, opacities } = this.columns;
    const full = this.#rowAt(this.#first);
    const thin = this.#thin;
    for (let pixel = 0; pixel < width; pixel++) {
      const colour = colours[pixel];
      if (colour === NO_COLOUR) continue;
      const isThin = thinColours[colour] === 1;
      (isThin ? thin : full)[pixel] = (opacities[pixel] << 24) | packed[colour];
      if (isThin) this.#hasThin = true;
    }
  }

  /** Columns from `from` to before `to`, over all that was painted so far. */
  paint(colour: number, packed: number, from: number, to: number, hasPattern: boolean): void {
    const isThin = thinColours[colour] === 1;
    const begin = Math.max(0, from);
    const end = Math.min(this.width, to);
    if (begin >= end) return;
    if (isThin) {
      this.#thin.fill(OPAQUE | packed, begin, end);
      this.#hasThin = true;
      return;
    }
    const offset = this.#first * this.width;
    this.#pixels.fill(OPAQUE | packed, offset + begin, offset + end);
    // What is thin would be drawn over it.
    this.#thin.fill(0, begin, end);
    this.#patterns.fill(hasPattern ? colour : 0, begin, end);
    if (hasPattern) this.#hasPatterns = true;
  }

  /** The rows of the lane that was painted; `tiles` by colour. */
  end(tiles: readonly (PatternTile | undefined)[]): StripRows {
    const period = this.#hasPatterns ? this.#paintPatterns(tiles) : 1;
    if (this.#hasThin) {
      const row = this.#take(1);
      this.#rowAt(row).set(this.#thin);
    }
    return { first: this.#first, period, hasThin: this.#hasThin };
  }

  /** Lets what was painted be drawn, as long as nothing else is. */
  put(): void {
    if (this.#taken > 0)
      this.#context.putImageData(this.#image, 0, 0, 0, 0, this.width, this.#taken);
    this.#taken = 0;
  }

  /** A row for each of a pattern; how many these are. */
  #paintPatterns(tiles: readonly (PatternTile | undefined)[]): number {
    const { width } = this;
    const patterns = this.#patterns;
    const period = tiles.find((tile) => tile !== undefined)?.size ?? 1;
    if (period > 1) this.#take(period - 1);
    const first = this.#rowAt(this.#first);
    for (let at = 1; at < period; at++) this.#rowAt(this.#first + at).set(first);
    for (let pixel = 0; pixel < width; pixel++) {
      const tile = patterns[pixel] === 0 ? undefined : tiles[patterns[pixel]];
      if (tile === undefined) continue;
      const column = pixel % period;
      for (let at = 0; at < period; at++)
        this.#pixels[(this.#first + at) * width + pixel] = tile.pixels[at * period + column];
    }
    return period;
  }

  #rowAt(row: number): Uint32Array {
    return this.#pixels.subarray(row * this.width, (row + 1) * this.width);
  }

  /** The first of so many rows, which lie side by side. */
  #take(count: number): number {
    const first = this.#taken;
    this.#taken += count;
    if (this.#taken > this.#rows) this.#grow();
    return first;
  }

  #grow(): void {
    while (this.#rows < this.#taken) this.#rows *= 2;
    const before = this.#pixels;
    this.canvas.height = this.#rows;
    this.#image = this.#context.createImageData(this.width, this.#rows);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#pixels.set(before);
  }
}

/** A sheet for `width` device pixels; `previous` again where it is of that width. */
export function stripSheet(width: number, previous?: StripSheet): StripSheet {
  return previous?.width === width ? previous : new StripSheet(width);
}
