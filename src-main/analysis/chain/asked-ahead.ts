import { upperBound } from '../../shared/numbers/bisect.ts';
import { spansBoth, spansLength } from '../index/spans.ts';
import { idleSpans, type ProductionCycles } from './production-cycles.ts';

/** A wait of the training process for one batch of a worker. Waits are in order of time. */
export interface BatchWait {
  readonly cycles: ProductionCycles;
  /** Which of its batches. */
  readonly cycle: number;
  /** Until it was put. */
  readonly ns: number;
  /** When the training process had it, or gave up. */
  readonly endNs: number;
  /** The share of its making in which the worker had to wait for what others used: a CPU, a disk, a lock. */
  readonly contendedShare: number;
  /** The share of its making in which the worker ran. */
  readonly cpuShare: number;
}

/** The share of their idle time for which workers that need a CPU for such a share of making a batch would have found one. */
export type RoomOf = (cpuShare: number) => number;

/** What asking for more batches ahead would have saved. */
export interface AskedAhead {
  /** Batches that each worker is asked for beyond those of today; 0 = more of them save nothing. */
  readonly ahead: number;
  /** Of each wait, ns. */
  readonly savedNs: Float64Array;
}

/** With a `prefetch_factor` of 2, its default, these make it 4, 8 and 16. */
const FEWER_AHEAD = [2, 6];
const MOST_AHEAD = 14;
/** Fewer are enough where they save this share of what the most do. Our own choice. */
const ENOUGH = 0.9;
/** From this share on the makers hinder each other: who is idle is no reserve. Our own choice. */
const CONTENDED = 0.2;

/**
 * What of each wait would not have been, had the workers been asked for more batches ahead: the fewest more
 * that save about as much as many. Each batch takes as long to make as it did, longer where a CPU is missing (`roomOf`), and a worker makes them one after
 * the other; what one wait is shorter by, all that follows in the training process comes earlier by, its asking too. Two things
 * are not seen: when a worker that was busy had been asked, and how long a batch that was not waited for had lain ready.
 */
export function askedAhead(waits: readonly BatchWait[], roomOf: RoomOf = () => 1): AskedAhead {
  const most = tryAhead(waits, MOST_AHEAD);
  // Fewer save no more than that: of most loops it is nothing.
  const share = most.ns > 0 ? Math.min(roomIn(waits, roomOf), reserveNs(waits) / most.ns) : 0;
  if (share === 0) return { ahead: 0, savedNs: new Float64Array(waits.length) };
  const fewer = FEWER_AHEAD.map((ahead) => tryAhead(waits, ahead));
  const enough = fewer.find(({ ns }) => ns >= most.ns * ENOUGH) ?? most;
  return { ahead: enough.ahead, savedNs: enough.savedNs.map((ns) => Math.floor(ns * share)) };
}

function tryAhead(
  waits: readonly BatchWait[],
  ahead: number,
): AskedAhead & { readonly ns: number } {
  const savedNs = savedBy(waits, ahead);
  return { ahead, savedNs, ns: savedNs.reduce((sum, ns) => sum + ns, 0) };
}

/**
 * For how long the workers could have made more. Who waits for a lock that others hold makes nothing sooner by
 * beginning sooner: where the makers hinder each other, only the time in which all of them were idle counts.
 */
function reserveNs(waits: readonly BatchWait[]): number {
  if (meanShare(waits, ({ contendedShare }) => contendedShare) < CONTENDED) return Infinity;
  const idle = [...new Set(waits.map(({ cycles }) => cycles))].map(idleSpans);
  return spansLength(idle.reduce(spansBoth));
}

function roomIn(waits: readonly BatchWait[], roomOf: RoomOf): number {
  return Math.min(1, roomOf(meanShare(waits, ({ cpuShare }) => cpuShare)));
}

/** Each wait counts by its length. */
function meanShare(waits: readonly BatchWait[], shareOf: (wait: BatchWait) => number): number {
  const waitedNs = waits.reduce((sum, { ns }) => sum + ns, 0);
  const ofThemNs = waits.reduce((sum, wait) => sum + wait.ns * shareOf(wait), 0);
  return waitedNs > 0 ? ofThemNs / waitedNs : 0;
}

function savedBy(waits: readonly BatchWait[], ahead: number): Float64Array {
  const endsNs = Float64Array.from(waits, ({ endNs }) => endNs);
  const savedNs = new Float64Array(waits.length);
  /** Saved up to the end of each wait. */
  const totals = new Float64Array(waits.length);
  const workers = new Map<ProductionCycles, EarlierWorker>();
  let total = 0;
  waits.forEach(({ cycles, cycle, ns }, at) => {
    const savedAt = (atNs: number) => {
      const before = Math.min(at, upperBound(endsNs, atNs));
      return before > 0 ? totals[before - 1] : 0;
    };
    const worker = workers.get(cycles) ?? new EarlierWorker(cycles, ahead);
    workers.set(cycles, worker);
    savedNs[at] = Math.min(ns, Math.max(0, worker.earlierNs(cycle, savedAt) - total));
    total += savedNs[at];
    totals[at] = total;
  });
  return savedNs;
}

/** A worker that is asked for `ahead` more batches than it was. */
class EarlierWorker {
  readonly #cycles: ProductionCycles;
  readonly #ahead: number;
  readonly #firsts: ReadonlySet<number>;
  /** The next batch to be made, and the first of its epoch. */
  #next = 0;
  #first = 0;
  /** How much earlier the one before is put. */
  #earlierNs = 0;

  constructor(cycles: ProductionCycles, ahead: number) {
    this.#cycles = cycles;
    this.#ahead = ahead;
    this.#firsts = new Set(cycles.firsts);
  }

  /** How much earlier `cycle` is put. `savedAt` is how much earlier the training process reaches what it did at a time. */
  earlierNs(cycle: number, savedAt: (atNs: number) => number): number {
    const { startsNs, putsNs } = this.#cycles;
    for (; this.#next <= cycle; this.#next++) {
      const at = this.#next;
      if (this.#firsts.has(at)) this.#first = at;
      const askedNs = startsNs[Math.max(this.#first, at - this.#ahead)];
      const freeNs = at > 0 ? putsNs[at - 1] - this.#earlierNs : -Infinity;
      this.#earlierNs = startsNs[at] - Math.max(freeNs, askedNs - savedAt(askedNs));
    }
    return this.#earlierNs;
  }
}
