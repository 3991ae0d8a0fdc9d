import type { EventLane } from '../../src-main/timeline/model/pyramid.ts';
import { type StripColumns, stripColumns } from '../../src-main/timeline/view/strip-columns.ts';
import { LanePixels } from './lane-pixels.ts';

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

/**
 * Rows of pixels, as wide as the chart, that are stretched over the heights of lanes. All lanes of a frame share one sheet, which
 * is handed over once: to hand over each by itself takes a software renderer longer than to draw it. Kept between frames
 * so that drawing allocates nothing, and what has only moved is not painted again.
 */
export class StripSheet {
  readonly columns: StripColumns;
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData;
  #pixels: Uint32Array;
  /** How many rows are taken, and how many there are. */
  #taken = 0;
  #rows = 2;
  /** Of the lanes that were drawn last; those of this frame; and what is for others. */
  #kept = new Map<EventLane, LanePixels>();
  #drawn = new Map<EventLane, LanePixels>();
  readonly #free: LanePixels[] = [];
  /** The colours in which they are painted. */
  #packed: Uint32Array | undefined;

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
  }

  get width(): number {
    return this.columns.width;
  }

  get canvas(): HTMLCanvasElement {
    return this.#context.canvas;
  }

  /** The pixels of a lane, in the theme's colours: those of the frame before, where it was drawn in that. */
  pixelsOf(lane: EventLane, packed: Uint32Array): LanePixels {
    if (packed !== this.#packed) for (const pixels of this.#kept.values()) pixels.forget();
    this.#packed = packed;
    let pixels = this.#drawn.get(lane) ?? this.#kept.get(lane);
    if (pixels === undefined) {
      pixels = this.#free.pop() ?? new LanePixels(this.width);
      pixels.forget();
    }
    this.#kept.delete(lane);
    this.#drawn.set(lane, pixels);
    return pixels;
  }

  /** The rows of a lane that was painted; `tiles` by colour. */
  add(pixels: LanePixels, tiles: readonly (PatternTile | undefined)[]): StripRows {
    const first = this.#take(1);
    this.#rowAt(first).set(pixels.full);
    const period = pixels.hasPatterns ? this.#paintPatterns(pixels.patterns, tiles, first) : 1;
    if (pixels.hasThin) {
      const row = this.#take(1);
      this.#rowAt(row).set(pixels.thin);
    }
    return { first, period, hasThin: pixels.hasThin };
  }

  /** Lets what was added be drawn, as long as nothing else is. */
  put(): void {
    if (this.#taken > 0)
      this.#context.putImageData(this.#image, 0, 0, 0, 0, this.width, this.#taken);
    this.#taken = 0;
    this.#free.push(...this.#kept.values());
    const before = this.#kept;
    before.clear();
    this.#kept = this.#drawn;
    this.#drawn = before;
  }

  /** A row for each of a pattern, the first of which is there; how many these are. */
  #paintPatterns(
    patterns: Uint8Array,
    tiles: readonly (PatternTile | undefined)[],
    first: number,
  ): number {
    const { width } = this;
    const period = tiles.find((tile) => tile !== undefined)?.size ?? 1;
    if (period > 1) this.#take(period - 1);
    const row = this.#rowAt(first);
    for (let at = 1; at < period; at++) this.#rowAt(first + at).set(row);
    for (let pixel = 0; pixel < width; pixel++) {
      const tile = patterns[pixel] === 0 ? undefined : tiles[patterns[pixel]];
      if (tile === undefined) continue;
      const column = pixel % period;
      for (let at = 0; at < period; at++)
        this.#pixels[(first + at) * width + pixel] = tile.pixels[at * period + column];
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
