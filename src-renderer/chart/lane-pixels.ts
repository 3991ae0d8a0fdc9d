import { thinColours } from '../../src-main/timeline/model/colours.ts';
import { NO_COLOUR, type StripColumns } from '../../src-main/timeline/view/strip-columns.ts';

/** Columns of device pixels: those from `from` to before `to`. */
export interface Columns {
  readonly from: number;
  readonly to: number;
}

const OPAQUE = 0xff000000;
/** So near to a whole number of pixels a view has moved by that number. */
const NEARLY = 0.01;
/** Beside what came into view a column is painted as well: what is long and narrow takes the one behind it. */
const BESIDE = 1;
const NONE: Columns = { from: 0, to: 0 };

/**
 * One row of pixels of a lane, kept from frame to frame. Where the view has moved by whole pixels the row is moved too, and only what
 * came into view is painted: to paint all of it takes most of a frame.
 */
export class LanePixels {
  /** What fills the height of the lane, and what is drawn over its middle; 0 = nothing. */
  readonly full: Uint32Array;
  readonly thin: Uint32Array;
  /** Of each column the colour whose pattern it shows. */
  readonly patterns: Uint8Array;
  /** Whether anything of that was painted, since when all of it was: it may have left the view. */
  #hasThin = false;
  #hasPatterns = false;
  #startNs = Number.NaN;
  #nsPerPixel = Number.NaN;
  /** What was painted: see `showAs`. */
  #what = '';

  /** For `width` device pixels. */
  constructor(width: number) {
    this.full = new Uint32Array(width);
    this.thin = new Uint32Array(width);
    this.patterns = new Uint8Array(width);
  }

  /** Where the first column begins. */
  get startNs(): number {
    return this.#startNs;
  }

  get hasThin(): boolean {
    return this.#hasThin;
  }

  get hasPatterns(): boolean {
    return this.#hasPatterns;
  }

  /** Nothing of it is right any more. */
  forget(): void {
    this.#what = '';
  }

  /**
   * Moves to a view; the columns that have to be painted, which are empty. `what`: in which way the lane is drawn; in another one all of
   * it is painted.
   */
  moveTo(startNs: number, nsPerPixel: number, what: string): Columns {
    const width = this.full.length;
    const moved = (startNs - this.#startNs) / nsPerPixel;
    const by = Math.round(moved);
    // Over the whole width less than that off.
    const isSameScale = Math.abs(nsPerPixel / this.#nsPerPixel - 1) * width < NEARLY;
    const isWhole = isSameScale && Math.abs(moved - by) < NEARLY;
    if (what !== this.#what || !isWhole || Math.abs(by) + BESIDE >= width) {
      this.#what = what;
      this.#startNs = startNs;
      this.#nsPerPixel = nsPerPixel;
      this.#hasThin = this.#hasPatterns = false;
      return this.#clear(0, width);
    }
    if (by === 0) return NONE;
    this.#startNs += by * this.#nsPerPixel;
    for (const row of [this.full, this.thin, this.patterns])
      if (by > 0) row.copyWithin(0, by);
      else row.copyWithin(-by, 0);
    return by > 0 ? this.#clear(width - by - BESIDE, width) : this.#clear(0, BESIDE - by);
  }

  #clear(from: number, to: number): Columns {
    this.full.fill(0, from, to);
    this.thin.fill(0, from, to);
    this.patterns.fill(0, from, to);
    return { from, to };
  }

  /** What `columns` tell of those from `from` to before `to`, in the theme's colours; the first of them is column `at`. */
  paintColumns(
    { colours, opacities }: StripColumns,
    packed: Uint32Array,
    { from, to }: Columns,
    at: number,
  ): void {
    const { full, thin } = this;
    for (let pixel = from; pixel < to; pixel++) {
      const colour = colours[pixel - at];
      if (colour === NO_COLOUR) continue;
      const value = (opacities[pixel - at] << 24) | packed[colour];
      if (thinColours[colour] === 1) {
        thin[pixel] = value;
        this.#hasThin = true;
      } else full[pixel] = value;
    }
  }

  /** Columns from `from` to before `to`, over all that was painted so far. */
  paint(colour: number, packed: number, from: number, to: number, hasPattern: boolean): void {
    const { full, thin, patterns } = this;
    const pixel = OPAQUE | packed;
    const pattern = hasPattern ? colour : 0;
    // Most are a few pixels wide: to call fill for each takes longer.
    if (thinColours[colour] === 1) {
      this.#hasThin = true;
      for (let at = from; at < to; at++) thin[at] = pixel;
    } else {
      this.#hasPatterns ||= hasPattern;
      for (let at = from; at < to; at++) {
        full[at] = pixel;
        // What is thin would be drawn over it.
        thin[at] = 0;
        patterns[at] = pattern;
      }
    }
  }
}
