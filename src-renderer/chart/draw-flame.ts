import type { FlameFrame } from '../../src-main/shared/answers/flame.ts';
import {
  NAME_INK,
  NEUTRAL_COLOUR,
  nameColour,
  roleColour,
} from '../../src-main/timeline/model/colours.ts';
import { roleSwatchOf } from '../../src-main/timeline/model/trace-names.ts';
import { crisp } from '../../src-main/timeline/view/chart-span.ts';
import { FOLDED } from '../lib/flame-functions.ts';
import { type FlameLayout, firstEndingAfter } from '../lib/flame-layout.ts';
import { type FrameKind, frameKind } from '../lib/frame-kind.ts';
import { fitText, type Paint } from './paint.ts';
import type { ChartTheme } from './theme.ts';

export const FLAME_ROW = 20;

/** Places in the palette: cool hues for Python, warm ones for native code. Roles have the colours they have everywhere. */
export const flameColours: Readonly<Record<FrameKind, readonly number[]>> = {
  python: [4, 5],
  framework: [6],
  native: [0, 1],
  kernel: [roleColour('kernel')],
  gpu: [7, 3],
  role: [NEUTRAL_COLOUR],
};
/** Frames narrower than this are drawn together, as a line without edges. */
const LEAST_PX = 1.5;
const LABEL_PX = 28;
const PADDING = 5;
/** The bar at the left of a Python frame and at the right of GPU work, beside their colours. */
const MARK_PX = 3;
/** How strong what a search does not find is drawn. */
const DIMMED = 0.25;

/** How the boxes of single nodes look, where not by their functions: by node, its colour and what stands before its name. */
export interface NodeLook {
  readonly fills: readonly string[];
  readonly marks: readonly string[];
}

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
  readonly matches: Uint8Array | undefined;
  readonly look?: NodeLook | undefined;
}

/** The palette index of a function: one colour for each file, so that modules show; of GPU work for each name. */
function frameColour(frame: FlameFrame): number {
  if (frame === FOLDED) return NEUTRAL_COLOUR;
  if (frame.role !== undefined) return roleColour(roleSwatchOf(frame.role, undefined));
  const hues = flameColours[frameKind(frame)];
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

/** Every frame in view; what is selected or pointed at is drawn above it, by drawFlameMarks. */
export function drawFlame(scene: FlameScene): void {
  const { context, theme, width, height, layout } = scene;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width, height);
  context.font = theme.font;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  layout.rows.forEach((row, depth) => {
    const y = flameRowY(scene, depth);
    if (y + FLAME_ROW > 0 && y < height) drawRow(scene, row, y);
  });
}

/** Outlines of the frame pointed at and of the selected one, on a canvas of their own. */
export function drawFlameMarks(scene: FlameScene, hover?: number, selected?: number): void {
  outline(scene, hover, scene.theme.muted, 1);
  outline(scene, selected, scene.theme.text, 2);
}

interface Box {
  readonly node: number;
  readonly frame: number;
  readonly x: number;
  readonly width: number;
}

/** The boxes of a row, and the stretches of frames too small for one. */
function boxesOf(scene: FlameScene, row: readonly number[]): { boxes: Box[]; tiny: Box[] } {
  const { layout, left, right, width, pixelRatio } = scene;
  const scale = width / (right - left);
  const boxes: Box[] = [];
  const tiny: Box[] = [];
  for (let at = firstEndingAfter(layout, row, left); at < row.length; at++) {
    const node = row[at] as number;
    if (layout.left[node] >= right) break;
    const x = crisp(Math.max(0, (layout.left[node] - left) * scale), pixelRatio);
    const to = crisp(Math.min(width, (layout.right[node] - left) * scale), pixelRatio);
    const frame = layout.tree.frame[node] ?? 0;
    if (to - x >= LEAST_PX) boxes.push({ node, frame, x, width: to - x - (to - x > 3 ? 1 : 0) });
    else {
      const last = tiny.at(-1);
      const joins = last !== undefined && x <= last.x + last.width + LEAST_PX;
      if (joins) tiny[tiny.length - 1] = { ...last, width: Math.max(last.width, to - last.x) };
      else tiny.push({ node, frame, x, width: Math.max(1, to - x) });
    }
  }
  return { boxes, tiny };
}

/** One kind after the other: changing the colour costs more than filling a box. */
function drawRow(scene: FlameScene, row: readonly number[], y: number): void {
  const { context, theme, matches, layout, look } = scene;
  const { boxes, tiny } = boxesOf(scene, row);
  const colours = coloursOf(layout);
  const isFound = ({ frame }: Box) => matches?.[frame] === 1;
  context.globalAlpha = matches === undefined ? 1 : DIMMED;
  fill(scene, tiny, y, theme.fills[NEUTRAL_COLOUR] ?? theme.muted);
  const byFunction = (frame: number) =>
    theme.fills[colours[frame] ?? NEUTRAL_COLOUR] ?? theme.muted;
  const styleOf = ({ node, frame }: Box) => look?.fills[node] ?? byFunction(frame);
  for (const [style, same] of Map.groupBy(boxes, styleOf)) {
    context.globalAlpha = matches === undefined ? 1 : DIMMED;
    fill(scene, matches === undefined ? same : same.filter((box) => !isFound(box)), y, style);
    context.globalAlpha = 1;
    if (matches !== undefined) fill(scene, same.filter(isFound), y, style);
  }
  context.globalAlpha = 1;
  drawMarks(scene, boxes, y);
  if (matches !== undefined) fill(scene, boxes.filter(isFound), y + FLAME_ROW - 4, theme.accent, 3);
  drawLabels(scene, boxes, y);
}

function fill(
  { context }: FlameScene,
  boxes: readonly Pick<Box, 'x' | 'width'>[],
  y: number,
  style: string | CanvasPattern,
  height = FLAME_ROW - 1,
): void {
  context.fillStyle = style;
  for (const { x, width } of boxes) context.fillRect(x, y, width, height);
}

/** Whether a bar tells a frame's kind, beside its colour. */
const hasMark = ({ language }: FlameFrame) => language === 'python' || language === 'gpu';

/** What tells frames apart beside their colour: a bar on Python and GPU work, hatching on what is folded. */
function drawMarks(scene: FlameScene, boxes: readonly Box[], y: number): void {
  const { frames } = scene.layout.tree;
  const marked = boxes.filter((box) => markOf(frames[box.frame], box.width) > 0);
  const folded = boxes.filter(({ frame }) => frames[frame] === FOLDED);
  if (folded.length > 0) fill(scene, folded, y, scene.paint.notRecorded);
  const bars = marked.map(({ frame, x, width }) => {
    const left = isAtRight(frames[frame]) ? x + width - MARK_PX : x;
    return { x: left, width: MARK_PX };
  });
  fill(scene, bars, y, 'rgb(0 0 0 / 45%)');
}

const isAtRight = (frame: FlameFrame | undefined) => frame?.language === 'gpu';

const markOf = (frame: FlameFrame | undefined, width: number) =>
  frame !== undefined && hasMark(frame) && width >= 2 * MARK_PX ? MARK_PX : 0;

function drawLabels(scene: FlameScene, boxes: readonly Box[], y: number): void {
  const { context, theme, paint, layout, labels, matches, look } = scene;
  for (const { node, frame, x, width } of boxes) {
    if (width < LABEL_PX) continue;
    const mark = markOf(layout.tree.frames[frame], width);
    const room = width - mark - 2 * PADDING;
    const name = `${look?.marks[node] ?? ''}${labels[frame] ?? ''}`;
    const label = fitText(context, paint.textWidths, name, room);
    if (label === '') continue;
    context.fillStyle = matches !== undefined && matches[frame] === 0 ? theme.muted : NAME_INK;
    const left = isAtRight(layout.tree.frames[frame]) ? x : x + mark;
    // Where the guess of what fits was a little short, the letters move closer.
    context.fillText(label, left + PADDING, y + FLAME_ROW / 2, room);
  }
}

const knownColours = new WeakMap<FlameLayout, readonly number[]>();

function coloursOf(layout: FlameLayout): readonly number[] {
  const colours = knownColours.get(layout) ?? layout.tree.frames.map(frameColour);
  knownColours.set(layout, colours);
  return colours;
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
