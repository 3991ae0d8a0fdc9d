import type { Mark } from '../model/colours.ts';

/**
 * Patterns of the thread states, of what steps went to and of what is not known, as ink on a tile that repeats:
 * screen and pictures draw the same.
 */

export const PATTERN_TILE = 8;
export const PATTERN_LINE_WIDTH = 1.2;

type Line = readonly [x1: number, y1: number, x2: number, y2: number];

export interface PatternInk {
  readonly lines: readonly Line[];
  /** Middles of dots of radius 1. */
  readonly dots: readonly (readonly [x: number, y: number])[];
}

// Lines overshoot the tile so that diagonals meet at its corners.
const slashLines: readonly Line[] = [
  [-2, 2, 2, -2],
  [-2, 10, 10, -2],
  [6, 10, 10, 6],
];
const backslashLines: readonly Line[] = [
  [-2, -2, 10, 10],
  [6, -2, 10, 2],
  [-2, 6, 2, 10],
];

export const slashes: PatternInk = { lines: slashLines, dots: [] };

const rowLines: readonly Line[] = [
  [0, 2, 8, 2],
  [0, 6, 8, 6],
];
const columnLines: readonly Line[] = [
  [2, 0, 2, 8],
  [6, 0, 6, 8],
];

/** What a pattern puts on its colour; the others are told by their shape. */
export const patternInks: Readonly<Partial<Record<Mark['pattern'], PatternInk>>> = {
  backslashes: { lines: backslashLines, dots: [] },
  rows: { lines: rowLines, dots: [] },
  columns: { lines: columnLines, dots: [] },
  grid: { lines: [...rowLines, ...columnLines], dots: [] },
  scattered: { lines: [], dots: [[4, 4]] },
  midline: { lines: [[0, 4, 8, 4]], dots: [] },
  slashes,
  crosses: { lines: [...slashLines, ...backslashLines], dots: [] },
  dots: {
    lines: [],
    dots: [
      [2, 2],
      [6, 6],
    ],
  },
  dashed: { lines: [[1, 4, 5, 4]], dots: [] },
};

interface Ink {
  readonly colour: string;
  readonly opacity: number;
}

export const stateInk: Ink = { colour: '#000000', opacity: 0.3 };

/** Hatching where the source recorded nothing, and where events were lost. */
export const hatchInks: Readonly<Record<'light' | 'dark', Record<'notRecorded' | 'lost', Ink>>> = {
  light: {
    notRecorded: { colour: '#000000', opacity: 0.08 },
    lost: { colour: '#b42318', opacity: 0.5 },
  },
  dark: {
    notRecorded: { colour: '#ffffff', opacity: 0.09 },
    lost: { colour: '#ff6b6b', opacity: 0.5 },
  },
};
