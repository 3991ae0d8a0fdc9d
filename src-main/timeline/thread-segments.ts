import { bisector } from 'd3-array';
import type { TimeSpan } from '../shared/summary.ts';
import { stateColour } from './colours.ts';
import { addKind } from './event-source.ts';
import type { LaneEvents } from './pyramid.ts';
import { type EventKinds, NO_ROW } from './track-model.ts';

/** Linux task state bits (include/linux/sched.h, fs/proc/array.c). */
const TASK_INTERRUPTIBLE = 0x1;
const TASK_UNINTERRUPTIBLE = 0x2;
const TASK_STOPPED_OR_DEAD = 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80;
/** With uninterruptible: an idle kernel thread. */
const TASK_NOLOAD = 0x400;
/** sched_switch reports a preempted task as TASK_REPORT_MAX. */
const PREEMPTED = [0, 0x100] as const;

/** The palette's colour of a raw task state; -1 = not recorded. `onIo` = it had block I/O in flight. */
export function colourOfTaskState(state: number, onIo = false): number {
  if (state < 0) return stateColour.offCpu;
  if (PREEMPTED.some((preempted) => preempted === state)) return stateColour.runnable;
  if ((state & TASK_STOPPED_OR_DEAD) !== 0) return stateColour.stopped;
  if ((state & TASK_UNINTERRUPTIBLE) !== 0) {
    if ((state & TASK_NOLOAD) !== 0) return stateColour.sleeping;
    return onIo ? stateColour.blockedOnIo : stateColour.blocked;
  }
  return (state & TASK_INTERRUPTIBLE) !== 0 ? stateColour.sleeping : stateColour.unknown;
}

export interface OffCpuColumns {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly state?: Int32Array;
  readonly runQueueNs?: Float64Array;
}

interface SegmentOptions {
  /** Where every switch of the thread is in the rows, in order: there it ran in between. */
  readonly complete: readonly TimeSpan[];
  readonly hadBlockIo?: (startNs: number, endNs: number) => boolean;
}

interface Segment {
  readonly startNs: number;
  readonly endNs: number;
  readonly colour: number;
  readonly row: number;
}

type SegmentVisitor = (startNs: number, endNs: number, colour: number) => void;

/** What one row says of its thread: blocked, then runnable for the run-queue part. */
function visitRow(
  columns: OffCpuColumns,
  row: number,
  options: SegmentOptions,
  visit: SegmentVisitor,
): void {
  const startNs = columns.startNs[row];
  const endNs = startNs + columns.durationNs[row];
  const state = columns.state?.[row] ?? -1;
  const queuedNs = Math.min(Math.max(columns.runQueueNs?.[row] ?? 0, 0), endNs - startNs);
  const wokenNs = endNs - queuedNs;
  const onIo = options.hadBlockIo?.(startNs, wokenNs) ?? false;
  const colour = colourOfTaskState(state, onIo);
  if (colour === stateColour.runnable || queuedNs === 0) {
    visit(startNs, endNs, colour);
    return;
  }
  if (wokenNs !== startNs) visit(startNs, wokenNs, colour);
  visit(wokenNs, endNs, stateColour.runnable);
}

/** The states in which a thread waited, with the longest of each: without a lane of all of them. */
export function waitingKinds(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
): EventKinds {
  const kinds = new Map<number, number>();
  const add: SegmentVisitor = (startNs, endNs, colour) => addKind(kinds, colour, endNs - startNs);
  for (const row of rows) visitRow(columns, row, options, add);
  return kinds;
}

const firstEndingAfter = bisector(([, endNs]: TimeSpan) => endNs).right;

/** Running in [fromNs, toNs), as far as nothing can be missing there. */
function runningBetween(spans: readonly TimeSpan[], fromNs: number, toNs: number): Segment[] {
  const segments: Segment[] = [];
  let at = firstEndingAfter(spans, fromNs);
  for (; at < spans.length && spans[at][0] < toNs; at++) {
    const [spanStartNs, spanEndNs] = spans[at];
    const startNs = Math.max(fromNs, spanStartNs);
    const endNs = Math.min(toNs, spanEndNs);
    segments.push({ startNs, endNs, colour: stateColour.running, row: NO_ROW });
  }
  return segments;
}

/**
 * The states of one thread from its off-CPU rows in order of start: blocked, then runnable for the
 * run-queue part; running between rows only where the rows are complete.
 */
export function threadSegments(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
): LaneEvents {
  const segments: Segment[] = [];
  let latestEndNs: number | undefined;
  for (const row of rows) {
    const startNs = columns.startNs[row];
    if (latestEndNs !== undefined && startNs > latestEndNs)
      segments.push(...runningBetween(options.complete, latestEndNs, startNs));
    visitRow(columns, row, options, (fromNs, endNs, colour) => {
      segments.push({ startNs: fromNs, endNs, colour, row });
      latestEndNs = Math.max(latestEndNs ?? 0, endNs);
    });
  }
  segments.sort((a, b) => a.startNs - b.startNs);
  return {
    startNs: Float64Array.from(segments, (segment) => segment.startNs),
    durationNs: Float64Array.from(segments, (segment) => segment.endNs - segment.startNs),
    rows: Uint32Array.from(segments, (segment) => segment.row),
    colours: Uint8Array.from(segments, (segment) => segment.colour),
  };
}
