import { marks } from '../../src-main/timeline/model/colours.ts';
import type { TextRuler } from '../../src-main/timeline/view/lane-labels.ts';
import {
  hatchInks,
  PATTERN_LINE_WIDTH,
  PATTERN_TILE,
  type PatternInk,
  patternInks,
  slashes,
  stateInk,
} from '../../src-main/timeline/view/state-patterns.ts';
import type { PatternTile } from './strip-sheet.ts';
import type { ChartTheme } from './theme.ts';

/** Fills and measurements that are made once per theme and screen density. */
export interface Paint {
  /** Fill of each palette index for rectangles wide enough to show a pattern. */
  readonly fills: readonly (string | CanvasPattern)[];
  /** The patterns among them by pixel. */
  readonly tiles: readonly (PatternTile | undefined)[];
  /** Hatching where the source recorded nothing, and where events were lost. */
  readonly notRecorded: CanvasPattern | string;
  readonly lost: CanvasPattern | string;
  readonly textWidths: Map<string, number>;
}

function inkTile(context: CanvasRenderingContext2D, { lines, dots }: PatternInk): void {
  context.beginPath();
  for (const [x1, y1, x2, y2] of lines) {
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
  context.beginPath();
  for (const [x, y] of dots) {
    context.moveTo(x + 1, y);
    context.arc(x, y, 1, 0, 2 * Math.PI);
  }
  context.fill();
}

interface Tile {
  readonly fill: CanvasPattern | string;
  readonly pixels: PatternTile | undefined;
}

function tile(
  target: CanvasRenderingContext2D,
  pixelRatio: number,
  base: string | undefined,
  { colour, opacity }: { readonly colour: string; readonly opacity: number },
  ink: PatternInk,
): Tile {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = PATTERN_TILE * pixelRatio;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return { fill: colour, pixels: undefined };
  context.scale(pixelRatio, pixelRatio);
  if (base !== undefined) {
    context.fillStyle = base;
    context.fillRect(0, 0, PATTERN_TILE, PATTERN_TILE);
  }
  context.globalAlpha = opacity;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = PATTERN_LINE_WIDTH;
  inkTile(context, ink);
  const pattern = target.createPattern(canvas, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
  const size = canvas.width;
  const { data } = context.getImageData(0, 0, size, size);
  return { fill: pattern ?? colour, pixels: { pixels: new Uint32Array(data.buffer), size } };
}

/** What gives a canvas its paint: made once, and anew when the theme changes. */
export function paintCache(): typeof createPaint {
  let paint: Paint | undefined;
  let madeFor: ChartTheme | undefined;
  return (context, theme, pixelRatio) => {
    if (paint === undefined || madeFor !== theme) paint = createPaint(context, theme, pixelRatio);
    madeFor = theme;
    return paint;
  };
}

function createPaint(
  context: CanvasRenderingContext2D,
  theme: ChartTheme,
  pixelRatio: number,
): Paint {
  const fills: (string | CanvasPattern)[] = [...theme.fills];
  const tiles: (PatternTile | undefined)[] = theme.fills.map(() => undefined);
  for (const [colour, { pattern }] of marks) {
    const ink = patternInks[pattern];
    if (ink === undefined) continue;
    const { fill, pixels } = tile(context, pixelRatio, theme.fills[colour], stateInk, ink);
    fills[colour] = fill;
    tiles[colour] = pixels;
  }
  const hatch = hatchInks[theme.isDark ? 'dark' : 'light'];
  return {
    fills,
    tiles,
    notRecorded: tile(context, pixelRatio, undefined, hatch.notRecorded, slashes).fill,
    lost: tile(context, pixelRatio, undefined, hatch.lost, slashes).fill,
    textWidths: new Map(),
  };
}

/** Width of `text` in CSS px in the context's font, kept in `widths`. */
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
  let kept = Math.floor((text.length * (width - 8)) / measured);
  while (kept >= 3) {
    const cut = `${text.slice(0, kept)}…`;
    const cutWidth = textWidth(context, widths, cut);
    if (cutWidth <= width) return cut;
    // Its first letters are wider than most.
    kept = Math.min(kept - 1, Math.floor((kept * width) / cutWidth));
  }
  return '';
}

/** Measures and cuts text in the context's font. */
export function textRuler({
  context,
  paint: { textWidths },
}: {
  readonly context: CanvasRenderingContext2D;
  readonly paint: Paint;
}): TextRuler {
  return {
    width: (text) => textWidth(context, textWidths, text),
    fit: (text, width) => fitText(context, textWidths, text, width),
  };
}
