import {
  FIRST_STATE_COLOUR,
  type StatePattern,
  threadStates,
} from '../../src-main/timeline/colours.ts';
import type { ChartTheme } from './theme.ts';

/** Fills and measurements that are made once per theme and screen density. */
export interface Paint {
  /** Fill of each palette index for rectangles wide enough to show a pattern. */
  readonly fills: readonly (string | CanvasPattern)[];
  /** Hatching where the source recorded nothing, and where events were lost. */
  readonly notRecorded: CanvasPattern | string;
  readonly lost: CanvasPattern | string;
  readonly textWidths: Map<string, number>;
}

const TILE = 8;

type Ink = (context: CanvasRenderingContext2D) => void;

function stroke(lines: readonly (readonly [number, number, number, number])[]): Ink {
  return (context) => {
    context.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
    }
    context.stroke();
  };
}

// Lines overshoot the tile so that diagonals meet at its corners.
const slashes = stroke([
  [-2, 2, 2, -2],
  [-2, 10, 10, -2],
  [6, 10, 10, 6],
]);
const backslashes = stroke([
  [-2, -2, 10, 10],
  [6, -2, 10, 2],
  [-2, 6, 2, 10],
]);

const inks: Readonly<Partial<Record<StatePattern, Ink>>> = {
  slashes,
  crosses(context) {
    slashes(context);
    backslashes(context);
  },
  dots(context) {
    context.beginPath();
    for (const [x, y] of [
      [2, 2],
      [6, 6],
    ] as const) {
      context.moveTo(x + 1, y);
      context.arc(x, y, 1, 0, 2 * Math.PI);
    }
    context.fill();
  },
  dashed: stroke([[1, 4, 5, 4]]),
};

function tile(
  target: CanvasRenderingContext2D,
  pixelRatio: number,
  base: string | undefined,
  inkColour: string,
  ink: Ink,
): CanvasPattern | string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = TILE * pixelRatio;
  const context = canvas.getContext('2d');
  if (context === null) return inkColour;
  context.scale(pixelRatio, pixelRatio);
  if (base !== undefined) {
    context.fillStyle = base;
    context.fillRect(0, 0, TILE, TILE);
  }
  context.strokeStyle = context.fillStyle = inkColour;
  context.lineWidth = 1.2;
  ink(context);
  const pattern = target.createPattern(canvas, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
  return pattern ?? inkColour;
}

export function createPaint(
  context: CanvasRenderingContext2D,
  theme: ChartTheme,
  pixelRatio: number,
): Paint {
  const fills: (string | CanvasPattern)[] = [...theme.fills];
  threadStates.forEach((state, index) => {
    const ink = inks[state.pattern];
    if (ink === undefined) return;
    fills[FIRST_STATE_COLOUR + index] = tile(context, pixelRatio, state.hex, '#0000004d', ink);
  });
  const faint = theme.isDark ? '#ffffff17' : '#00000014';
  return {
    fills,
    notRecorded: tile(context, pixelRatio, undefined, faint, slashes),
    lost: tile(context, pixelRatio, undefined, theme.isDark ? '#ff6b6b80' : '#b4231880', slashes),
    textWidths: new Map(),
  };
}

export function textWidth(
  context: CanvasRenderingContext2D,
  widths: Map<string, number>,
  text: string,
): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  const { width } = context.measureText(text);
  // A trace can have millions of names: the cache must not grow with it.
  if (widths.size > 5_000) widths.clear();
  widths.set(text, width);
  return width;
}

/** `text` cut with … to `width` pixels; empty where nothing readable fits. */
export function fitText(
  context: CanvasRenderingContext2D,
  widths: Map<string, number>,
  text: string,
  width: number,
): string {
  const measured = textWidth(context, widths, text);
  if (measured <= width) return text;
  const kept = Math.floor((text.length * (width - 8)) / measured);
  return kept < 3 ? '' : `${text.slice(0, kept)}…`;
}
