import type { TimeSpan } from '../../shared/answers/summary.ts';
import { stateOfTask } from '../../shared/model/task-state.ts';
import type { ThreadState } from '../../shared/model/thread-state.ts';
import { upperBoundBy } from '../../shared/numbers/bisect.ts';
import { stateColour } from '../model/colours.ts';
import { addKind } from '../model/event-source.ts';
import type { LaneEvents } from '../model/pyramid.ts';
import { type EventKinds, NO_ROW } from '../model/track-model.ts';

/** The palette has one colour for a thread that stands still, stopped or dead. */
const colours: Readonly<Record<ThreadState, number>> = {
  unknown: stateColour.unknown,
  running: stateColour.running,
  runnable: stateColour.runnable,
  sleeping: stateColour.sleeping,
  disk: stateColour.blockedOnIo,
  uninterruptible: stateColour.blocked,
  stopped: stateColour.stopped,
  dead: stateColour.stopped,
};

/** The palette's colour of a raw task state; -1 = not recorded. `onIo` = it had block I/O in flight. */
export function colourOfTaskState(state: number, onIo = false): number {
  return state < 0 ? stateColour.offCpu : colours[stateOfTask(state, onIo)];
}

export interface OffCpuColumns {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly state?: Int32Array;
  readonly runQueueNs?: Float64Array;
  readonly ioWait?: Uint8Array;
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
  const onIo = columns.ioWait?.[row] === 1 || (options.hadBlockIo?.(startNs, wokenNs) ?? false);
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

/** Running in [fromNs, toNs), as far as nothing can be missing there. */
function runningBetween(spans: readonly TimeSpan[], fromNs: number, toNs: number): Segment[] {
  const segments: Segment[] = [];
  let at = upperBoundBy(spans, fromNs, ([, endNs]) => endNs);
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
