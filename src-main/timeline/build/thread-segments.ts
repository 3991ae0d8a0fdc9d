import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import { stateOfTask } from '../../shared/model/task-state.ts';
import type { ThreadState } from '../../shared/model/thread-state.ts';
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

/** Who is told of segments as they come, without an object for each. */
interface Segments {
  add(startNs: number, endNs: number, colour: number, row: number): void;
}

class SegmentColumns implements Segments {
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

/** What a thread did: where it ran, and where it waited. */
export interface ThreadStates {
  readonly running: LaneEvents;
  readonly waiting: LaneEvents;
}

/** Running on one line, waiting on another. */
class SplitSegments implements Segments {
  readonly #running = new SegmentColumns();
  readonly #waiting = new SegmentColumns();

  add(startNs: number, endNs: number, colour: number, row: number): void {
    const line = colour === stateColour.running ? this.#running : this.#waiting;
    line.add(startNs, endNs, colour, row);
  }

  states(): ThreadStates {
    return { running: this.#running.events(), waiting: this.#waiting.events() };
  }
}

/** Raw states below this are looked up, first those without block I/O in flight: all that kernels have had, and -1. */
const KNOWN_STATES = 512;
const knownColours = Uint8Array.from({ length: 2 * (KNOWN_STATES + 1) }, (_, at) =>
  colourOfTaskState((at >>> 1) - 1, (at & 1) === 1),
);

const quickColour = (state: number, onIo: boolean) =>
  state < KNOWN_STATES
    ? knownColours[2 * (Math.max(-1, state) + 1) + +onIo]
    : colourOfTaskState(state, onIo);

/** What one row says of its thread: blocked, then runnable for the run-queue part. */
function visitRow(
  columns: OffCpuColumns,
  row: number,
  { hadBlockIo }: SegmentOptions,
  segments: Segments,
): void {
  const startNs = columns.startNs[row];
  const endNs = startNs + columns.durationNs[row];
  const state = columns.state?.[row] ?? -1;
  const queuedNs = Math.min(Math.max(columns.runQueueNs?.[row] ?? 0, 0), endNs - startNs);
  const wokenNs = endNs - queuedNs;
  const onIo = columns.ioWait?.[row] === 1 || (hadBlockIo?.(startNs, wokenNs) ?? false);
  const colour = quickColour(state, onIo);
  if (colour === stateColour.runnable || queuedNs === 0) {
    segments.add(startNs, endNs, colour, row);
    return;
  }
  if (wokenNs !== startNs) segments.add(startNs, wokenNs, colour, row);
  segments.add(wokenNs, endNs, stateColour.runnable, row);
}

/** The states in which a thread waited, with the longest of each: without a lane of all of them. */
export function waitingKinds(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
): EventKinds {
  const kinds = new Map<number, number>();
  const add: Segments['add'] = (startNs, endNs, colour) => addKind(kinds, colour, endNs - startNs);
  for (const row of rows) visitRow(columns, row, options, { add });
  return kinds;
}

/** Tells of running between rows, in order of time, as far as the thread lived and nothing can be missing there. */
class RunningBetween {
  readonly #complete: readonly TimeSpan[];
  readonly #life: TimeSpan;
  readonly #segments: Segments;
  /** The first stretch that may end later than what was told last. */
  #next = 0;

  constructor({ complete, life }: SegmentOptions, segments: Segments) {
    this.#complete = complete;
    this.#life = life;
    this.#segments = segments;
  }

  /** In [fromNs, toNs), which does not begin before the last one did. */
  add(fromNs: number, toNs: number): void {
    const complete = this.#complete;
    const aliveFromNs = Math.max(fromNs, this.#life[0]);
    const aliveToNs = Math.min(toNs, this.#life[1]);
    while (this.#next < complete.length && complete[this.#next][1] <= aliveFromNs) this.#next++;
    for (let at = this.#next; at < complete.length && complete[at][0] < aliveToNs; at++) {
      const startNs = Math.max(aliveFromNs, complete[at][0]);
      const endNs = Math.min(aliveToNs, complete[at][1]);
      if (endNs > startNs) this.#segments.add(startNs, endNs, stateColour.running, NO_ROW);
    }
  }
}

function tellSegments(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
  segments: Segments,
): void {
  const running = new RunningBetween(options, segments);
  let latestEndNs = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    const startNs = columns.startNs[row];
    if (startNs > latestEndNs) running.add(latestEndNs, startNs);
    visitRow(columns, row, options, segments);
    latestEndNs = Math.max(latestEndNs, startNs + columns.durationNs[row]);
  }
  running.add(latestEndNs, Number.POSITIVE_INFINITY);
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
  tellSegments(columns, rows, options, segments);
  return segments.events();
}

/** As threadSegments, on two lines. */
export function threadStates(
  columns: OffCpuColumns,
  rows: Uint32Array,
  options: SegmentOptions,
): ThreadStates {
  const segments = new SplitSegments();
  tellSegments(columns, rows, options, segments);
  return segments.states();
}
