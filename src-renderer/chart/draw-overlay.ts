import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import { type Box, clippedStretch, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import {
  boxesBetween,
  PASSED_OPACITY,
  VEIL_OPACITY,
} from '../../src-main/timeline/view/range-veil.ts';
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
  const { selected, range, submissions, chain, held, notes } = scene;
  const drawn = [selected, range, submissions, chain, notes.pointed];
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

/** Covers what the range leaves out, and draws its edges; what it holds keeps its colours. */
function drawRange(frame: Frame, range: TimeWindow, rows: readonly Box[]): void {
  const { context, theme, width, height } = frame;
  const place = clippedStretch(frame, range);
  if (place !== undefined) {
    const { left, right } = place;
    context.fillStyle = theme.background;
    context.globalAlpha = VEIL_OPACITY;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = PASSED_OPACITY;
    for (const box of boxesBetween(rows, height))
      context.fillRect(left, box.y, right - left, box.height);
    context.globalAlpha = 1;
  }
  context.fillStyle = theme.accent;
  for (const ns of [range.startNs, range.endNs]) {
    const x = Math.round((ns - frame.window.startNs) * pixelsPerNs(frame));
    context.fillRect(x, 0, 1, height);
  }
}

/** What of a row can be seen. */
function shownBox({ y, height }: TrackRow, scroll: RowScroll): Box {
  const from = onChartBelowFixed(y, scroll);
  return { y: from, height: Math.max(0, onChart(y, scroll) + height - from) };
}

/** What is selected and marked: the tracks below it are not drawn again. */
export function drawOverlay(frame: Frame, scene: OverlayScene): void {
  const { scroll, selected } = scene;
  drawNoteRanges(frame, scene.notes);
  const isSeen = ({ y, height }: Box) => height > 0 && y < frame.height;
  const rows = scene.rangeRows
    .map((row) => shownBox(row, scroll))
    .filter(isSeen)
    .sort((a, b) => a.y - b.y);
  if (scene.range !== undefined) drawRange(frame, scene.range, rows);
  drawHolders(frame, scene.held, scroll);
  if (scene.chain !== undefined) drawChain(frame, scene.chain, scene.chainIndex, scroll);
  if (scene.submissions !== undefined) drawSubmissions(frame, scene.submissions, scroll);
  if (selected !== undefined) drawMark(frame, selected, scroll, (box) => drawSelected(frame, box));
}
