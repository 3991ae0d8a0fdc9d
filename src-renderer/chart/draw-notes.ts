import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import { pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import type { NoteMark } from '../lib/note-marks.ts';
import { coveredSpans, type Flag, flagWidth } from './flag-layout.ts';
import type { Frame } from './surface.ts';

export const NOTE_STRIP_HEIGHT = 18;
const FLAG_HEIGHT = 14;
/** The edges of more ranges would hide the tracks. */
const MOST_EDGES = 30;

/** Notes and bookmarks of a trace, and the one the user points at or has open. */
export interface NoteScene {
  readonly marks: readonly NoteMark[];
  readonly pointed: NoteMark | undefined;
}

function drawFlag(frame: Frame, flag: Flag, isPointed: boolean): void {
  const { context, theme } = frame;
  const x = Math.round(flag.x);
  const width = flagWidth(flag);
  context.fillStyle = theme.note;
  context.fillRect(x, 0, 2, frame.height);
  context.beginPath();
  context.moveTo(x, 1);
  context.lineTo(x + width - 3, 1);
  context.lineTo(x + width, 1 + FLAG_HEIGHT / 2);
  context.lineTo(x + width - 3, 1 + FLAG_HEIGHT);
  context.lineTo(x, 1 + FLAG_HEIGHT);
  context.closePath();
  context.fill();
  if (isPointed) {
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.stroke();
  }
  context.fillStyle = theme.panel;
  if (flag.label !== '') context.fillText(flag.label, x + (width - 1) / 2, 1 + FLAG_HEIGHT / 2 + 1);
  else for (const y of [5, 8, 11]) context.fillRect(x + 4, y, y === 11 ? 4 : 7, 1);
}

/** The flags below the ruler. */
export function drawFlags(frame: Frame, flags: readonly Flag[], pointed: NoteMark | undefined) {
  const { context, theme, width, height } = frame;
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, height);
  context.font = theme.font;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const flag of flags)
    drawFlag(frame, flag, pointed !== undefined && flag.marks.includes(pointed));
  context.textAlign = 'left';
  context.fillStyle = theme.border;
  context.fillRect(0, height - 1, width, 1);
}

function drawSpan({ context, height }: Frame, left: number, right: number, alpha: number): void {
  context.globalAlpha = alpha;
  context.fillRect(left, 0, Math.max(1, right - left), height);
  context.globalAlpha = 1;
}

/** The ranges of notes over the tracks, and where the one pointed at stands. */
export function drawNoteRanges(frame: Frame, { marks, pointed }: NoteScene): void {
  const { context, theme, window, width, height } = frame;
  context.fillStyle = theme.note;
  const spans = coveredSpans(marks, window, width);
  for (const { left, right } of spans) {
    drawSpan(frame, left, right, 0.07);
    context.globalAlpha = spans.length > MOST_EDGES ? 0 : 0.5;
    for (const x of [left, right]) context.fillRect(Math.round(x), 0, 1, height);
    context.globalAlpha = 1;
  }
  if (pointed === undefined) return;
  const { startNs, endNs }: TimeWindow = pointed.range ?? {
    startNs: pointed.atNs,
    endNs: pointed.atNs,
  };
  const scale = pixelsPerNs(frame);
  const left = Math.max(0, (startNs - window.startNs) * scale);
  const right = Math.min(width, (endNs - window.startNs) * scale);
  if (right >= 0 && left <= width) drawSpan(frame, left, right, pointed.range ? 0.14 : 0.8);
}

/** Where on the minimap notes stand: one mark a pixel, however many there are. */
export function drawNoteTicks(frame: Frame, marks: readonly NoteMark[]): void {
  const { context, theme, window } = frame;
  const scale = pixelsPerNs(frame);
  context.fillStyle = theme.note;
  let last = Number.NEGATIVE_INFINITY;
  for (const { atNs } of marks) {
    const x = Math.round((atNs - window.startNs) * scale);
    if (x === last) continue;
    last = x;
    context.fillRect(x - 1, 0, 3, 6);
  }
}
