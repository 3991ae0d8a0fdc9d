import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { RankedIds } from './ranked-ids.ts';

/** More than one call or piece of work has this id: which belongs to which cannot be told. */
export const AMBIGUOUS = -2;

/**
 * Ids that lie so close together are ranked, at two bits for each that there could be. Most are: they count all calls, and a
 * profiler leaves out those that submit nothing.
 */
const MOST_IDS_PER_CALL = 64;

/** A table that is half empty needs a handful: only ids chosen to collide need more, and are not joined. */
const MAX_PROBES = 256;

/** Above every correlation id: what two of them are told by fits a 64-bit float. */
const IDS = 2 ** 32;

/** The ids of the calls of one process. */
interface ProcessIds {
  lowest: number;
  highest: number;
  count: number;
  /** Where they lie close together; else they are hashed. */
  ranked?: RankedIds;
  /** The slot of the lowest of those that are ranked. */
  first: number;
}

/**
 * Calls by process and id, in typed arrays, as a Map takes ten times as long. The ids of most processes lie close together:
 * calls stand in the order of these, so that calls and work that follow each other lie side by side in memory. Those of
 * other processes are hashed, by open addressing.
 */
export class CallTable {
  /** By slot, the row of the call, NONE, or AMBIGUOUS. */
  readonly rows: Int32Array;
  /** By slot, the first work of that id; NONE = none yet. */
  readonly works: Int32Array;
  /** By process. */
  readonly #ids: readonly (ProcessIds | undefined)[];
  /** How many slots stand before those that are hashed. */
  readonly #ranked: number;
  readonly #keys: Float64Array;
  readonly #bits: number;

  constructor(ids: readonly (ProcessIds | undefined)[]) {
    this.#ids = ids;
    let ranked = 0;
    let hashed = 0;
    for (const each of ids) {
      if (each === undefined) continue;
      each.first = ranked;
      if (each.ranked === undefined) hashed += each.count;
      else ranked += each.ranked.rank();
    }
    this.#ranked = ranked;
    this.#bits = Math.max(4, Math.ceil(Math.log2(2 * hashed + 1)));
    this.#keys = new Float64Array(2 ** this.#bits);
    const slots = ranked + this.#keys.length;
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
    if (slot >= this.#ranked) this.#keys[slot - this.#ranked] = process * IDS + id;
  }

  /** Where the calls of that id stand, or would stand; -1 where none can have it. */
  #find(process: number, id: number): number {
    const ids = this.#ids[process];
    if (ids === undefined || id === 0) return -1;
    if (ids.ranked === undefined) return this.#findHashed(process, id);
    const rank = ids.ranked.rankOf(id);
    return rank === NONE ? -1 : ids.first + rank;
  }

  /** The slot that has it, or the free one where it belongs (Fibonacci hashing); -1 = looked for too long. */
  #findHashed(process: number, id: number): number {
    const key = process * IDS + id;
    const keys = this.#keys;
    const last = keys.length - 1;
    let slot = Math.imul(id ^ Math.imul(process, 0x85ebca6b), 0x9e3779b1) >>> (32 - this.#bits);
    for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & last)
      if (keys[slot] === 0 || keys[slot] === key) return this.#ranked + slot;
    return -1;
  }
}

/** The calls of `trace` by process and correlation id. */
export function callsById({ tables, threads, processes }: Trace): CallTable {
  const { thread, correlation } = tables.cuda_call.columns;
  const ids: Uint32Array | Uint16Array | Uint8Array = correlation ?? new Uint32Array(thread.length);
  const processOfThread = Int32Array.from(threads, ({ process }) => process);
  const processOf = (row: number) => processOfThread[thread[row]] ?? NONE;
  const calls = new CallTable(idsByProcess(processes.length, processOf, ids));
  for (let row = 0; row < ids.length; row++) calls.add(processOf(row), ids[row], row);
  return calls;
}

/** By process, its ids; 0 is none. */
function idsByProcess(
  processes: number,
  processOf: (row: number) => number,
  ids: ArrayLike<number>,
): (ProcessIds | undefined)[] {
  const all = Array.from({ length: processes }, (): ProcessIds | undefined => undefined);
  for (let row = 0; row < ids.length; row++) {
    const process = processOf(row);
    const id = ids[row];
    if (process === NONE || id === 0) continue;
    const own = all[process] ?? { lowest: id, highest: id, count: 0, first: NONE };
    all[process] = own;
    own.count++;
    if (id < own.lowest) own.lowest = id;
    if (id > own.highest) own.highest = id;
  }
  for (const own of all)
    if (own !== undefined && own.highest - own.lowest < MOST_IDS_PER_CALL * own.count)
      own.ranked = new RankedIds(own.lowest, own.highest);
  for (let row = 0; row < ids.length; row++)
    if (ids[row] !== 0) all[processOf(row)]?.ranked?.add(ids[row]);
  return all;
}
