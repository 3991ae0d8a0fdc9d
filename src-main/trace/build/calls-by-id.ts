import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** More than one call or piece of work has this id: which belongs to which cannot be told. */
export const AMBIGUOUS = -2;

/** Ids that lie so close together have a slot each: most are counted up from call to call. */
const MOST_SLOTS_PER_CALL = 4;

/** A table that is half empty needs a handful: only ids chosen to collide need more, and are not joined. */
const MAX_PROBES = 256;

/** Above every correlation id: what two of them are told by fits a 64-bit float. */
const IDS = 2 ** 32;

/** The ids of the calls of one process. */
interface IdRange {
  lowest: number;
  highest: number;
  count: number;
  /** The slot of the lowest id, where each id has a slot of its own; NONE where they are hashed. */
  first: number;
}

/**
 * Calls by process and id, in typed arrays, as a Map takes ten times as long. The ids of most processes lie close together:
 * these stand in their order, so that calls and work that follow each other lie side by side in memory. Those of the
 * others are hashed, by open addressing.
 */
export class CallTable {
  /** By slot, the row of the call, NONE, or AMBIGUOUS. */
  readonly rows: Int32Array;
  /** By slot, the first work of that id; NONE = none yet. */
  readonly works: Int32Array;
  /** By process. */
  readonly #ranges: readonly (IdRange | undefined)[];
  /** How many slots stand before those that are hashed. */
  readonly #ordered: number;
  readonly #keys: Float64Array;
  readonly #bits: number;

  constructor(ranges: readonly (IdRange | undefined)[]) {
    this.#ranges = ranges;
    let ordered = 0;
    let hashed = 0;
    for (const range of ranges) {
      if (range === undefined) continue;
      const length = range.highest - range.lowest + 1;
      if (length > MOST_SLOTS_PER_CALL * range.count) hashed += range.count;
      else {
        range.first = ordered;
        ordered += length;
      }
    }
    this.#ordered = ordered;
    this.#bits = Math.max(4, Math.ceil(Math.log2(2 * hashed + 1)));
    this.#keys = new Float64Array(2 ** this.#bits);
    const slots = ordered + this.#keys.length;
    this.rows = new Int32Array(slots).fill(NONE);
    this.works = new Int32Array(slots).fill(NONE);
  }

  /** -1 where either is not known, or no call has it. */
  slotOf(process: number, id: number): number {
    const slot = this.#find(process, id);
    return slot < 0 || this.rows[slot] === NONE ? -1 : slot;
  }

  add(process: number, id: number, row: number): void {
    const slot = this.#find(process, id);
    if (slot < 0) return;
    this.rows[slot] = this.rows[slot] === NONE ? row : AMBIGUOUS;
    if (slot >= this.#ordered) this.#keys[slot - this.#ordered] = process * IDS + id;
  }

  /** Where the calls of that id stand, or would stand; -1 where none can have it. */
  #find(process: number, id: number): number {
    const range = this.#ranges[process];
    if (range === undefined || id < range.lowest || id > range.highest) return -1;
    return range.first === NONE ? this.#findHashed(process, id) : range.first + id - range.lowest;
  }

  /** The slot that has it, or the free one where it belongs (Fibonacci hashing); -1 = looked for too long. */
  #findHashed(process: number, id: number): number {
    const key = process * IDS + id;
    const keys = this.#keys;
    const last = keys.length - 1;
    let slot = Math.imul(id ^ Math.imul(process, 0x85ebca6b), 0x9e3779b1) >>> (32 - this.#bits);
    for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & last)
      if (keys[slot] === 0 || keys[slot] === key) return this.#ordered + slot;
    return -1;
  }
}

/** The calls of `trace` by process and correlation id. */
export function callsById({ tables, threads, processes }: Trace): CallTable {
  const { thread, correlation } = tables.cuda_call.columns;
  const processOf = Int32Array.from(threads, ({ process }) => process);
  const ids = correlation ?? new Uint32Array(thread.length);
  const calls = new CallTable(idRanges(processes.length, (row) => processOf[thread[row]], ids));
  for (let row = 0; row < thread.length; row++)
    if (ids[row] !== 0) calls.add(processOf[thread[row]] ?? NONE, ids[row], row);
  return calls;
}

/** By process, its ids; 0 is none. */
function idRanges(
  processes: number,
  processOf: (row: number) => number | undefined,
  ids: ArrayLike<number>,
): (IdRange | undefined)[] {
  const ranges = Array.from({ length: processes }, (): IdRange | undefined => undefined);
  for (let row = 0; row < ids.length; row++) {
    const process = processOf(row) ?? NONE;
    const id = ids[row];
    if (process === NONE || id === 0) continue;
    const range = ranges[process];
    if (range === undefined) ranges[process] = { lowest: id, highest: id, count: 1, first: NONE };
    else {
      range.count++;
      if (id < range.lowest) range.lowest = id;
      else if (id > range.highest) range.highest = id;
    }
  }
  return ranges;
}
