import type { FlameFrame } from '../../src-main/shared/flame.ts';
import { crisp } from '../../src-main/timeline/chart-span.ts';
import { NEUTRAL_COLOUR, nameColour } from '../../src-main/timeline/colours.ts';
import { FOLDED } from '../lib/flame-functions.ts';
import { type FlameLayout, firstEndingAfter } from '../lib/flame-layout.ts';
import { fitText, type Paint } from './paint.ts';
import type { ChartTheme } from './theme.ts';

export const FLAME_ROW = 20;

/** Hues of the palette: cool ones for Python, warm ones for native code. */
export const pythonColours = [4, 5, 6] as const;
export const nativeColours = [0, 1, 2] as const;
const TEXT = '#101418';
/** Frames narrower than this are drawn together, as a line without edges. */
const LEAST_PX = 1;
const LABEL_PX = 28;
const PADDING = 5;
/** The bar at the left of a Python frame, beside its colour. */
const MARK_PX = 3;
/** How strong what a search does not find is drawn. */
const DIMMED = 0.25;

export interface FlameScene {
  readonly context: CanvasRenderingContext2D;
  readonly theme: ChartTheme;
  readonly paint: Paint;
  readonly pixelRatio: number;
  readonly width: number;
  readonly height: number;
  readonly layout: FlameLayout;
  /** What a box is labelled with, by frame. */
  readonly labels: readonly string[];
  readonly left: number;
  readonly right: number;
  readonly scrollTop: number;
  /** Whether callers stand above: the first row is the lowest. */
  readonly growsUp: boolean;
  readonly selected: number | undefined;
  readonly hover: number | undefined;
  readonly matches: Uint8Array | undefined;
}

/** The palette index of a function: one colour for each file, so that modules show. */
export function frameColour(frame: FlameFrame): number {
  if (frame === FOLDED) return NEUTRAL_COLOUR;
  const hues = frame.language === 'python' ? pythonColours : nativeColours;
  return hues[nameColour(frame.file ?? frame.symbol) % hues.length] ?? NEUTRAL_COLOUR;
}

/** The y of a row on the canvas. */
export function flameRowY(
  {
    layout,
    scrollTop,
    growsUp,
    height,
  }: Pick<FlameScene, 'layout' | 'scrollTop' | 'growsUp' | 'height'>,
  row: number,
): number {
  if (!growsUp) return row * FLAME_ROW - scrollTop;
  const whole = Math.max(height, layout.rows.length * FLAME_ROW);
  return whole - (row + 1) * FLAME_ROW - scrollTop;
}

/** The row at `y` of the canvas. */
export function flameRowAt(
  scene: Pick<FlameScene, 'layout' | 'scrollTop' | 'growsUp' | 'height'>,
  y: number,
): number {
  const first = flameRowY(scene, 0);
  return scene.growsUp
    ? Math.floor((first + FLAME_ROW - y) / FLAME_ROW)
    : Math.floor((y - first) / FLAME_ROW);
}

export function drawFlame(scene: FlameScene): void {
  const { context, theme, width, height, layout } = scene;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width, height);
  context.font = theme.font;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const colours = layout.tree.frames.map(frameColour);
  layout.rows.forEach((row, depth) => {
    const y = flameRowY(scene, depth);
    if (y + FLAME_ROW > 0 && y < height) drawRow(scene, row, y, colours);
  });
  outline(scene, scene.hover, theme.muted, 1);
  outline(scene, scene.selected, theme.text, 2);
}

function drawRow(
  scene: FlameScene,
  row: readonly number[],
  y: number,
  colours: readonly number[],
): void {
  const { context, theme, layout, left, right, width, pixelRatio, matches } = scene;
  const scale = width / (right - left);
  let tinyFrom = Number.NaN;
  let tinyTo = Number.NaN;
  const flushTiny = () => {
    if (Number.isNaN(tinyFrom)) return;
    context.fillStyle = theme.fills[NEUTRAL_COLOUR] ?? theme.muted;
    context.globalAlpha = matches === undefined ? 1 : DIMMED;
    context.fillRect(tinyFrom, y, Math.max(tinyTo - tinyFrom, LEAST_PX), FLAME_ROW - 1);
    context.globalAlpha = 1;
    tinyFrom = tinyTo = Number.NaN;
  };
  for (let at = firstEndingAfter(layout, row, left); at < row.length; at++) {
    const node = row[at] as number;
    if (layout.left[node] >= right) break;
    const from = crisp(Math.max(0, (layout.left[node] - left) * scale), pixelRatio);
    const to = crisp(Math.min(width, (layout.right[node] - left) * scale), pixelRatio);
    if (to - from < LEAST_PX) {
      if (Number.isNaN(tinyFrom) || from > tinyTo + LEAST_PX) {
        flushTiny();
        tinyFrom = from;
      }
      tinyTo = Math.max(to, tinyFrom);
      continue;
    }
    flushTiny();
    drawFrame(scene, node, from, to, y, colours);
  }
  flushTiny();
}

function drawFrame(
  scene: FlameScene,
  node: number,
  from: number,
  to: number,
  y: number,
  colours: readonly number[],
): void {
  const { context, theme, paint, layout, labels, matches } = scene;
  const at = layout.tree.frame[node] ?? 0;
  const frame = layout.tree.frames[at];
  const width = Math.max(1, to - from - (to - from > 3 ? 1 : 0));
  const height = FLAME_ROW - 1;
  const isDimmed = matches !== undefined && matches[at] === 0;
  context.globalAlpha = isDimmed ? DIMMED : 1;
  context.fillStyle = theme.fills[colours[at] ?? NEUTRAL_COLOUR] ?? theme.muted;
  context.fillRect(from, y, width, height);
  if (frame === FOLDED) {
    context.fillStyle = paint.notRecorded;
    context.fillRect(from, y, width, height);
  }
  const mark = frame?.language === 'python' && width >= 2 * MARK_PX ? MARK_PX : 0;
  context.fillStyle = 'rgb(0 0 0 / 45%)';
  if (mark > 0) context.fillRect(from, y, mark, height);
  context.globalAlpha = 1;
  if (matches?.[at] === 1) {
    context.fillStyle = theme.accent;
    context.fillRect(from, y + height - 3, width, 3);
  }
  if (width < LABEL_PX) return;
  const room = width - mark - 2 * PADDING;
  context.fillStyle = isDimmed ? theme.muted : TEXT;
  const label = fitText(context, paint.textWidths, labels[at] ?? '', room);
  // Where the guess of what fits was a little short, the letters move closer.
  if (label !== '') context.fillText(label, from + mark + PADDING, y + height / 2 + 0.5, room);
}

function outline(scene: FlameScene, node: number | undefined, colour: string, line: number): void {
  const { context, layout, left, right, width } = scene;
  if (node === undefined || node >= layout.left.length) return;
  const scale = width / (right - left);
  const from = Math.max(0, (layout.left[node] - left) * scale);
  const to = Math.min(width, (layout.right[node] - left) * scale);
  if (to < from) return;
  context.strokeStyle = colour;
  context.lineWidth = line;
  const y = flameRowY(scene, layout.row[node]);
  context.strokeRect(
    from + line / 2,
    y + line / 2,
    Math.max(1, to - from - line),
    FLAME_ROW - line,
  );
}
