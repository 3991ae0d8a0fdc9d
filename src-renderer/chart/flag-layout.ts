import { type TimeWindow, timeScale } from '../../src-main/timeline/model/time-window.ts';
import type { NoteMark } from '../lib/note-marks.ts';

/** Flags nearer than this are one, CSS px. */
export const FLAG_SPACING = 30;
const FLAG_WIDTH = 16;
const CHARACTER_WIDTH = 6;

/** A flag on the strip below the ruler: of one note, or of several too near to be told apart. */
export interface Flag {
  /** Of its pole, CSS px from the left. */
  readonly x: number;
  readonly marks: readonly NoteMark[];
  /** A bookmark's digit, the number of notes, or nothing for one note. */
  readonly label: string;
}

interface Span {
  readonly left: number;
  readonly right: number;
}

/** The flags in view, from left to right; `marks` in order of time. */
export function layoutFlags(marks: readonly NoteMark[], window: TimeWindow, width: number): Flag[] {
  const scale = timeScale(window, width);
  const groups: { x: number; marks: NoteMark[] }[] = [];
  for (const mark of marks) {
    const x = scale(mark.atNs);
    if (x < 0 || x > width) continue;
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < FLAG_SPACING) last.marks.push(mark);
    else groups.push({ x, marks: [mark] });
  }
  return groups.map(({ x, marks: grouped }) => ({
    x,
    marks: grouped,
    label: grouped.length > 1 ? countLabel(grouped.length) : (grouped[0]?.label ?? ''),
  }));
}

/** Not to be taken for the digit of a bookmark. */
const countLabel = (count: number) => (count > 99 ? '99+' : `×${count}`);

/** How wide a flag is, CSS px: less than FLAG_SPACING. */
export const flagWidth = ({ label }: Flag): number =>
  FLAG_WIDTH + CHARACTER_WIDTH * Math.max(0, label.length - 1);

/** The flag at a place of the strip: the last one drawn there. */
export function flagAt(flags: readonly Flag[], x: number): Flag | undefined {
  return flags.findLast((flag) => x >= flag.x - 2 && x <= flag.x + flagWidth(flag));
}

/** Ranges nearer than this are drawn as one, CSS px. */
const SPAN_GAP = 4;

/** What of the canvas the ranges of notes cover, each place once, however many lie over another. */
export function coveredSpans(
  marks: readonly NoteMark[],
  window: TimeWindow,
  width: number,
): Span[] {
  const scale = timeScale(window, width);
  const spans: { left: number; right: number }[] = [];
  for (const { range } of marks) {
    if (range === undefined || range.endNs < window.startNs || range.startNs > window.endNs)
      continue;
    const left = Math.max(0, scale(range.startNs));
    const right = Math.min(width, scale(range.endNs));
    const last = spans.at(-1);
    if (last !== undefined && left <= last.right + SPAN_GAP)
      last.right = Math.max(last.right, right);
    else spans.push({ left, right });
  }
  return spans;
}
