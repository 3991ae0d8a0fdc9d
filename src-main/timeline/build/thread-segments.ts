import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import { stateOfTask } from '../../shared/model/task-state.ts';
import type { ThreadState } from '../../shared/model/thread-state.ts';
import { upperBoundBy } from '../../shared/numbers/bisect.ts';
import { stateColour } from '../model/colours.ts';
import { addKind } from '../model/event-source.ts';
import { inOrderOfStart } from '../model/lanes.ts';
import { type LaneEvents, ownEvents } from '../model/pyramid.ts';
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
  readonly durationNs: NumberArray;
  readonly state?: IntegerArray;
  readonly runQueueNs?: NumberArray;
  readonly ioWait?: Uint8Array;
}

interface SegmentOptions {
  /** Where every switch of the thread is in the rows, in order: there it ran in between, while it lived. */
  readonly complete: readonly TimeSpan[];
  /** From when to when it lived, as far as that is known. */
  readonly life: TimeSpan;
  readonly hadBlockIo?: (startNs: number, endNs: number) => boolean;
}

type SegmentVisitor = (startNs: number, endNs: number, colour: number) => void;

/** Segments as they come, without an object for each. */
class SegmentColumns {
  #startNs = new Float64Array(64);
  #durationNs = new Float64Array(64);
  #rows = new Uint32Array(64);
  #colours = new Uint8Array(64);
  #length = 0;

  add(startNs: number, endNs: number, colour: number, row: number): void {
    const at = this.#length++;
    if (at === this.#rows.length) this.#grow();
    this.#startNs[at] = startNs;
    this.#durationNs[at] = endNs - startNs;
    this.#rows[at] = row;
    this.#colours[at] = colour;
  }

  #grow(): void {
    const room = this.#rows.length * 2;
    this.#startNs = new Float64Array(this.#startNs.buffer.transfer(room * 8));
    this.#durationNs = new Float64Array(this.#durationNs.buffer.transfer(room * 8));
    this.#rows = new Uint32Array(this.#rows.buffer.transfer(room * 4));
    this.#colours = new Uint8Array(this.#colours.buffer.transfer(room));
  }

  /** In order of start; those of one start as they came. */
  events(): LaneEvents {
    const length = this.#length;
    return inOrderOfStart(
      ownEvents({
        startNs: this.#startNs.slice(0, length),
        durationNs: this.#durationNs.slice(0, length),
        rows: this.#rows.slice(0, length),
        colours: this.#colours.slice(0, length),
      }),
    );
  }
}

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

/** Adds running in [fromNs, toNs), as far as it lived and nothing can be missing there. */
function addRunning(
  { complete, life }: SegmentOptions,
  fromNs: number,
  toNs: number,
  segments: SegmentColumns,
): void {
  const aliveFromNs = Math.max(fromNs, life[0]);
  const aliveToNs = Math.min(toNs, life[1]);
  let at = upperBoundBy(complete, aliveFromNs, ([, endNs]) => endNs);
  for (; at < complete.length && complete[at][0] < aliveToNs; at++) {
    const [spanStartNs, spanEndNs] = complete[at];
    const startNs = Math.max(aliveFromNs, spanStartNs);
    const endNs = Math.min(aliveToNs, spanEndNs);
    if (endNs > startNs) segments.add(startNs, endNs, stateColour.running, NO_ROW);
  }
}

/**
 * The states of one thread from its off-CPU rows in order of start: blocked, then runnable for the
 * run-queue part; running before, between and after rows only where the rows are complete.
 */
export function threadSegments(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
): LaneEvents {
  const segments = new SegmentColumns();
  let row = NO_ROW;
  let latestEndNs = Number.NEGATIVE_INFINITY;
  const add: SegmentVisitor = (fromNs, endNs, colour) => {
    segments.add(fromNs, endNs, colour, row);
    latestEndNs = Math.max(latestEndNs, endNs);
  };
  for (row of rows) {
    const startNs = columns.startNs[row];
    if (startNs > latestEndNs) addRunning(options, latestEndNs, startNs, segments);
    visitRow(columns, row, options, add);
  }
  addRunning(options, latestEndNs, Number.POSITIVE_INFINITY, segments);
  return segments.events();
}
