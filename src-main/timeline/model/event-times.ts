import type { NumberArray } from '../../shared/model/columns.ts';

/** When the events of a lane begin, and how long they take: by index, in order of start. */
export interface EventTimes {
  readonly length: number;
  /** ns */
  startNs(index: number): number;
  /** ns, never negative. */
  durationNs(index: number): number;
  /** Writes those of the events from `from` up to `to` to the begin of two arrays: what reads many is quicker so. */
  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void;
  /** Of the events at `indexes`, in their order; `rows`: the rows of these. */
  picked(indexes: ArrayLike<number>, rows: Uint32Array): EventTimes;
}

/** The `read` of times that are worked out one by one. */
export function readEach(
  times: Pick<EventTimes, 'startNs' | 'durationNs'>,
  from: number,
  to: number,
  startsNs: Float64Array,
  durationsNs: Float64Array,
): void {
  for (let index = from; index < to; index++) {
    startsNs[index - from] = times.startNs(index);
    durationsNs[index - from] = times.durationNs(index);
  }
}

/** Times that stand in no table, such as those of a tile, or of states that were worked out. */
export class OwnTimes implements EventTimes {
  readonly length: number;
  readonly startsNs: Float64Array;
  readonly durationsNs: Float64Array;

  constructor(startsNs: Float64Array, durationsNs: Float64Array) {
    this.length = startsNs.length;
    this.startsNs = startsNs;
    this.durationsNs = durationsNs;
  }

  startNs(index: number): number {
    return this.startsNs[index];
  }

  durationNs(index: number): number {
    return this.durationsNs[index];
  }

  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void {
    startsNs.set(this.startsNs.subarray(from, to));
    durationsNs.set(this.durationsNs.subarray(from, to));
  }

  picked(indexes: ArrayLike<number>): EventTimes {
    return copiedTimes(this, indexes);
  }
}

/** The times at `indexes` as times of their own. */
export function copiedTimes(times: EventTimes, indexes: ArrayLike<number>): OwnTimes {
  const { length } = indexes;
  const startsNs = new Float64Array(length);
  const durationsNs = new Float64Array(length);
  for (let at = 0; at < length; at++) {
    startsNs[at] = times.startNs(indexes[at]);
    durationsNs[at] = times.durationNs(indexes[at]);
  }
  return new OwnTimes(startsNs, durationsNs);
}

/** So many events share the moment from which their starts are counted. */
const BASE_SHIFT = 6;

/** Own times in half the bytes: starts from a moment that 64 events share, and durations, each of 32 bits. */
class PackedTimes implements EventTimes {
  readonly length: number;
  readonly basesNs: Float64Array;
  readonly startsNs: Uint32Array;
  readonly durationsNs: Uint32Array;

  constructor(basesNs: Float64Array, startsNs: Uint32Array, durationsNs: Uint32Array) {
    this.length = startsNs.length;
    this.basesNs = basesNs;
    this.startsNs = startsNs;
    this.durationsNs = durationsNs;
  }

  startNs(index: number): number {
    return this.basesNs[index >>> BASE_SHIFT] + this.startsNs[index];
  }

  durationNs(index: number): number {
    return this.durationsNs[index];
  }

  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void {
    readEach(this, from, to, startsNs, durationsNs);
  }

  picked(indexes: ArrayLike<number>): EventTimes {
    return copiedTimes(this, indexes);
  }
}

/** The same times in half the bytes; as they are where 32 bits are too few for one of them. */
export function packedTimes(times: EventTimes): EventTimes {
  const { length } = times;
  const basesNs = new Float64Array((length >>> BASE_SHIFT) + 1);
  const startsNs = new Uint32Array(length);
  const durationsNs = new Uint32Array(length);
  for (let index = 0; index < length; index++) {
    const startNs = times.startNs(index);
    const durationNs = times.durationNs(index);
    const block = index >>> BASE_SHIFT;
    if (index === block << BASE_SHIFT) basesNs[block] = startNs;
    startsNs[index] = startNs - basesNs[block];
    durationsNs[index] = durationNs;
    const isSame =
      basesNs[block] + startsNs[index] === startNs && durationsNs[index] === durationNs;
    if (!isSame) return times;
  }
  return new PackedTimes(basesNs, startsNs, durationsNs);
}

/** The columns of a table with times: without durations, moments. */
interface TimeColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: NumberArray | undefined;
}

const NO_DURATIONS = new Float64Array(0);

/** Times of rows of a table, read there: nothing is kept of them. A duration that is negative or none at all is 0. */
export class RowTimes implements EventTimes {
  readonly length: number;
  readonly #startNs: Float64Array;
  readonly #durationNs: NumberArray;
  readonly #rows: Uint32Array;

  constructor({ startNs, durationNs = NO_DURATIONS }: TimeColumns, rows: Uint32Array) {
    this.length = rows.length;
    this.#startNs = startNs;
    this.#durationNs = durationNs;
    this.#rows = rows;
  }

  startNs(index: number): number {
    return this.#startNs[this.#rows[index]];
  }

  durationNs(index: number): number {
    const durationNs = this.#durationNs[this.#rows[index]];
    return durationNs > 0 ? durationNs : 0;
  }

  read(from: number, to: number, startsNs: Float64Array, durationsNs: Float64Array): void {
    const [allStartsNs, allDurationsNs, rows] = [this.#startNs, this.#durationNs, this.#rows];
    for (let index = from; index < to; index++) {
      const row = rows[index];
      const durationNs = allDurationsNs[row];
      startsNs[index - from] = allStartsNs[row];
      durationsNs[index - from] = durationNs > 0 ? durationNs : 0;
    }
  }

  picked(_indexes: ArrayLike<number>, rows: Uint32Array): EventTimes {
    return new RowTimes({ startNs: this.#startNs, durationNs: this.#durationNs }, rows);
  }
}
