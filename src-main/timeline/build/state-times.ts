import type { NumberArray } from '../../shared/model/columns.ts';
import { copiedTimes, type EventTimes, packedTimes, readEach } from '../model/event-times.ts';
import type { EventRows, LaneEvents } from '../model/pyramid.ts';
import { NO_ROW } from '../model/track-model.ts';

/**
 * Times of a thread's states, read from its rows of off_cpu instead of kept: a row is a wait, or a wait and then the time in the
 * run queue; and between two rows the thread ran. Where a time follows from no row that way, all of the lane are kept.
 */

interface Switches {
  readonly startNs: Float64Array;
  readonly durationNs: NumberArray;
  readonly runQueueNs?: NumberArray;
}

/** How much of a row was spent in the run queue, at its end. */
function queuedNs({ durationNs, runQueueNs }: Switches, row: number): number {
  const ns = runQueueNs === undefined ? 0 : runQueueNs[row];
  return ns > 0 ? Math.min(ns, durationNs[row]) : 0;
}

/** Which part of its row a state is. */
const WHOLE = 0;
const BEFORE_WAKE = 1;
const IN_QUEUE = 2;

function startOfPart(columns: Switches, row: number, part: number): number {
  const startNs = columns.startNs[row];
  return part === IN_QUEUE ? startNs + columns.durationNs[row] - queuedNs(columns, row) : startNs;
}

function durationOfPart(columns: Switches, row: number, part: number): number {
  if (part === IN_QUEUE) return queuedNs(columns, row);
  return columns.durationNs[row] - (part === BEFORE_WAKE ? queuedNs(columns, row) : 0);
}

/** The part of `row` that has these times; undefined where none has. */
function partOf(
  columns: Switches,
  row: number,
  startNs: number,
  durationNs: number,
): number | undefined {
  for (let part = WHOLE; part <= IN_QUEUE; part++)
    if (
      startOfPart(columns, row, part) === startNs &&
      durationOfPart(columns, row, part) === durationNs
    )
      return part;
  return undefined;
}

/** So many parts are told by a byte, two bits each. */
const PARTS_SHIFT = 2;
const partAt = (parts: Uint8Array, index: number) =>
  (parts[index >>> PARTS_SHIFT] >>> ((index & 3) << 1)) & 3;

class WaitTimes implements EventTimes {
  readonly length: number;
  readonly parts: Uint8Array;
  readonly #columns: Switches;
  readonly #rows: EventRows;

  constructor(columns: Switches, rows: EventRows, parts: Uint8Array) {
    this.length = rows.length;
    this.parts = parts;
    this.#columns = columns;
    this.#rows = rows;
  }

  startNs(index: number): number {
    return startOfPart(this.#columns, this.#rows.at(index) ?? NO_ROW, partAt(this.parts, index));
  }

  durationNs(index: number): number {
    return durationOfPart(this.#columns, this.#rows.at(index) ?? NO_ROW, partAt(this.parts, index));
  }

  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void {
    readEach(this, from, to, startsNs, durationsNs);
  }

  picked(indexes: ArrayLike<number>): EventTimes {
    return copiedTimes(this, indexes);
  }
}

/** The times of waits, each of which is a part of its row; `kept`: the same rows, as they are kept. */
export function waitTimes(
  columns: Switches,
  { times, rows }: Pick<LaneEvents, 'times' | 'rows'>,
  kept: EventRows = rows,
): EventTimes {
  const parts = new Uint8Array((times.length >>> PARTS_SHIFT) + 1);
  for (let index = 0; index < times.length; index++) {
    const part = partOf(columns, rows[index], times.startNs(index), times.durationNs(index));
    if (part === undefined) return packedTimes(times);
    parts[index >>> PARTS_SHIFT] |= part << ((index & 3) << 1);
  }
  return new WaitTimes(columns, kept, parts);
}

/** So many states share the place among the rows from which theirs are counted. */
const BASE_SHIFT = 6;
const MOST_STEPS = 255;
/** Of so many runs one may have times of its own, as before the first row, behind the last, and where switches were lost. */
const RUNS_OF_AN_OWN = 64;

/** Which of its thread's rows each state is of, as the place among them: in a byte, from a base. */
interface Places {
  readonly bases: Uint32Array;
  readonly steps: Uint8Array;
}

const placeAt = ({ bases, steps }: Places, index: number) =>
  bases[index >>> BASE_SHIFT] + steps[index];

/** Rows of waits, told by their places among all of the thread: a byte a wait instead of four. */
class WaitRows implements EventRows {
  readonly length: number;
  readonly places: Places;
  readonly #rows: Uint32Array;

  constructor(rows: Uint32Array, places: Places) {
    this.length = places.steps.length;
    this.places = places;
    this.#rows = rows;
  }

  at(index: number): number | undefined {
    return index < this.length ? this.#rows[placeAt(this.places, index)] : undefined;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.length; index++) yield this.#rows[placeAt(this.places, index)];
  }
}

/** The rows of waits, which come mostly in the order of all `rows` of the thread; as they are where they do not. */
export function waitRows(rows: Uint32Array, ofWaits: Uint32Array): EventRows {
  const { length } = ofWaits;
  const bases = new Uint32Array((length >>> BASE_SHIFT) + 1);
  const steps = new Uint8Array(length);
  let place = 0;
  for (let index = 0; index < length; index++) {
    while (place < rows.length && rows[place] !== ofWaits[index]) place++;
    const block = index >>> BASE_SHIFT;
    if (index === block << BASE_SHIFT) bases[block] = place;
    if (place === rows.length || place - bases[block] > MOST_STEPS) return ofWaits;
    steps[index] = place - bases[block];
  }
  return new WaitRows(rows, { bases, steps });
}

class RunTimes implements EventTimes {
  readonly length: number;
  readonly places: Places;
  readonly #columns: Switches;
  readonly #rows: Uint32Array;
  /** By index: those that are not from row to row. */
  readonly #own: ReadonlyMap<number, readonly [startNs: number, durationNs: number]>;

  constructor(columns: Switches, rows: Uint32Array, places: Places, own: RunTimes['ownTimes']) {
    this.length = places.steps.length;
    this.places = places;
    this.#columns = columns;
    this.#rows = rows;
    this.#own = own;
  }

  get ownTimes(): ReadonlyMap<number, readonly [startNs: number, durationNs: number]> {
    return this.#own;
  }

  startNs(index: number): number {
    const own = this.#own.get(index);
    if (own !== undefined) return own[0];
    return endOf(this.#columns, this.#rows[placeAt(this.places, index)]);
  }

  durationNs(index: number): number {
    const own = this.#own.get(index);
    if (own !== undefined) return own[1];
    const place = placeAt(this.places, index);
    return this.#columns.startNs[this.#rows[place + 1]] - endOf(this.#columns, this.#rows[place]);
  }

  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void {
    readEach(this, from, to, startsNs, durationsNs);
  }

  picked(indexes: ArrayLike<number>): EventTimes {
    return copiedTimes(this, indexes);
  }
}

const endOf = ({ startNs, durationNs }: Switches, row: number) => startNs[row] + durationNs[row];

/** The times of runs, in order of start, each mostly from the end of one of `rows` to the begin of the next. */
export function runTimes(columns: Switches, rows: Uint32Array, times: EventTimes): EventTimes {
  const { length } = times;
  const bases = new Uint32Array((length >>> BASE_SHIFT) + 1);
  const steps = new Uint8Array(length);
  const own = new Map<number, readonly [startNs: number, durationNs: number]>();
  let place = 0;
  for (let index = 0; index < length; index++) {
    const startNs = times.startNs(index);
    const durationNs = times.durationNs(index);
    while (place + 2 < rows.length && columns.startNs[rows[place + 1]] <= startNs) place++;
    const block = index >>> BASE_SHIFT;
    if (index === block << BASE_SHIFT) bases[block] = place;
    const isBetween =
      place + 1 < rows.length &&
      endOf(columns, rows[place]) === startNs &&
      columns.startNs[rows[place + 1]] - startNs === durationNs;
    if (isBetween && place - bases[block] <= MOST_STEPS) steps[index] = place - bases[block];
    else own.set(index, [startNs, durationNs]);
    if (own.size * RUNS_OF_AN_OWN > length + 2 * RUNS_OF_AN_OWN) return packedTimes(times);
  }
  return new RunTimes(columns, rows, { bases, steps }, own);
}
