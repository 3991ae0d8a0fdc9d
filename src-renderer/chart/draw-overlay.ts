import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import { type Box, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import type { ChainLayout } from './chain-path.ts';
import { drawChain } from './draw-chain.ts';
import { drawHolders } from './draw-holders.ts';
import { drawNoteRanges, type NoteScene } from './draw-notes.ts';
import { drawSubmissions, type SubmissionScene } from './draw-submissions.ts';
import type { heldWaits } from './holder-links.ts';
import { drawMark, type MarkedEvent, type Rectangle } from './marked-event.ts';
import { onChart, onChartBelowFixed, type RowScroll } from './row-scroll.ts';
import type { Frame } from './surface.ts';

interface OverlayScene {
  readonly scroll: RowScroll;
  readonly selected: MarkedEvent | undefined;
  readonly hovered: MarkedEvent | undefined;
  readonly range: TimeWindow | undefined;
  /** Those over which it was dragged; none where it is of time alone. */
  readonly rangeRows: readonly TrackRow[];
  readonly notes: NoteScene;
  readonly submissions: SubmissionScene | undefined;
  readonly chain: ChainLayout | undefined;
  /** Its waits for a CPU of which it is known who held it. */
  readonly held: ReturnType<typeof heldWaits>;
  /** The segment of the chain somebody is at; -1 = none. */
  readonly chainIndex: number;
}

/** Whether it draws nothing, in any window. */
export function isEmptyOverlay(scene: OverlayScene): boolean {
  const { selected, hovered, range, submissions, chain, held, notes } = scene;
  const drawn = [selected, hovered, range, submissions, chain, notes.pointed];
  const hasRanges = notes.marks.some((mark) => mark.range !== undefined);
  return !hasRanges && held.length === 0 && drawn.every((part) => part === undefined);
}

/** Two lines, so that the outline shows on every colour. */
function drawSelected({ context, theme }: Frame, { x, y, width, height }: Rectangle): void {
  context.lineWidth = 1;
  context.strokeStyle = theme.background;
  context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  context.lineWidth = 2;
  context.strokeStyle = theme.text;
  context.strokeRect(x - 2, y - 2, width + 4, height + 4);
  context.lineWidth = 1;
}

function drawHovered({ context, theme }: Frame, { x, y, width, height }: Rectangle): void {
  context.fillStyle = theme.isDark ? '#ffffff33' : '#00000022';
  context.fillRect(x, y, width, height);
  context.lineWidth = 1;
  context.strokeStyle = theme.text;
  context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
}

/** How strongly the range colours the rows that it is of, and those that it only passes. */
const RANGE_ALPHA = 0.14;
const PASSED_ALPHA = 0.05;

function drawRange(frame: Frame, range: TimeWindow, rows: readonly Box[]): void {
  const { context, theme, height } = frame;
  const scale = pixelsPerNs(frame);
  const left = (range.startNs - frame.window.startNs) * scale;
  const right = (range.endNs - frame.window.startNs) * scale;
  const from = Math.max(0, left);
  const width = Math.min(frame.width, right) - from;
  context.fillStyle = theme.accent;
  context.globalAlpha = rows.length === 0 ? RANGE_ALPHA : PASSED_ALPHA;
  context.fillRect(from, 0, width, height);
  context.globalAlpha = RANGE_ALPHA;
  for (const row of rows) context.fillRect(from, row.y, width, row.height);
  context.globalAlpha = 1;
  for (const x of [left, right]) context.fillRect(Math.round(x), 0, 1, height);
}

/** What of a row can be seen. */
function shownBox({ y, height }: TrackRow, scroll: RowScroll): Box {
  const from = onChartBelowFixed(y, scroll);
  return { y: from, height: Math.max(0, onChart(y, scroll) + height - from) };
}

/** What changes while the pointer moves: the tracks below it are not drawn again. */
export function drawOverlay(frame: Frame, scene: OverlayScene): void {
  const { scroll, hovered, selected } = scene;
  drawNoteRanges(frame, scene.notes);
  const isSeen = ({ y, height }: Box) => height > 0 && y < frame.height;
  const rows = scene.rangeRows.map((row) => shownBox(row, scroll)).filter(isSeen);
  if (scene.range !== undefined) drawRange(frame, scene.range, rows);
  drawHolders(frame, scene.held, scroll);
  if (scene.chain !== undefined) drawChain(frame, scene.chain, scene.chainIndex, scroll);
  if (scene.submissions !== undefined) drawSubmissions(frame, scene.submissions, scroll);
  if (hovered !== undefined) drawMark(frame, hovered, scroll, (box) => drawHovered(frame, box));
  if (selected !== undefined) drawMark(frame, selected, scroll, (box) => drawSelected(frame, box));
}
