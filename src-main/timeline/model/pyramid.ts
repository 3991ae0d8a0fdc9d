import { lowerBound } from '../../shared/numbers/bisect.ts';
import { atOnce, inPieces, type Pieces, ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { type Buckets, type StretchTotals, summarizeBuckets } from './buckets.ts';
import { type EventTimes, OwnTimes } from './event-times.ts';

/**
 * Events of one lane, sorted by start, and what answers "what happened in this pixel?" without
 * scanning them: a pyramid of longest events over blocks of 16 (index-based, so one long pause
 * costs nothing), and unions before blocks of 32 that give busy time exactly, overlaps counted once.
 */

const FAN_OUT_SHIFT = 4;
const FAN_OUT = 1 << FAN_OUT_SHIFT;
/** A union is kept for each so many events, and carried on from there: half a byte an event instead of 16. */
const UNION_SHIFT = 5;

export interface EventLane {
  readonly length: number;
  readonly times: EventTimes;
  /** Row of the track's table, by event. */
  readonly rows: EventRows;
  /** Index into the theme's palette, by event. */
  readonly colours: Uint8Array;
  /**
   * Latest end of the events before each block of 32: never falls, so it can be bisected. -Infinity where there is none.
   * Undefined where no event ends before one that starts earlier, as on most lanes: then it is the end of the last of them.
   */
  readonly blockLatestNs: Float64Array | undefined;
  /** Length of the union of the events before each block of 32. */
  readonly blockCoveredNs: Float64Array;
  /** Level k: the longest event of each block of 16^(k+1) events. */
  readonly levels: readonly Uint32Array[];
  readonly meanNs: number;
  /** Where it has a part of the events only: what all of them come to. */
  readonly buckets?: Buckets;
}

/** Rows of a table by event; undefined where there is no such event. */
export interface EventRows extends Iterable<number> {
  readonly length: number;
  at(index: number): number | undefined;
}

export interface LaneEvents {
  readonly times: EventTimes;
  readonly rows: Uint32Array;
  readonly colours: Uint8Array;
}

/** Events with times of their own. */
export interface OwnEvents {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly rows: Uint32Array;
  readonly colours: Uint8Array;
}

export function ownEvents({ startNs, durationNs, rows, colours }: OwnEvents): LaneEvents {
  return { times: new OwnTimes(startNs, durationNs), rows, colours };
}

/** What one stretch of time holds. `longest` is -1 where there is no event. */
interface StretchSummary {
  readonly longest: number;
  readonly count: number;
  readonly busyNs: number;
}

/** Of blocks in a row: which event of each is the longest, the first of equals, and how long that is. */
interface LongestOfBlocks {
  readonly events: Uint32Array;
  readonly durationsNs: Float64Array;
}

function longestOfBlocks(children: number): LongestOfBlocks {
  const blocks = Math.ceil(children / FAN_OUT);
  return { events: new Uint32Array(blocks), durationsNs: new Float64Array(blocks) };
}

/** The levels of a lane of `length` events above the lowest one, and that. */
function* buildLevels(length: number, lowest: LongestOfBlocks): Pieces<Uint32Array[]> {
  if (length <= FAN_OUT) return [];
  const levels = [lowest.events];
  let below = lowest;
  while (below.events.length > FAN_OUT) {
    const children = below;
    const level = longestOfBlocks(children.events.length);
    const fill = (from: number, to: number) => {
      for (let block = from; block < to; block++) {
        const best = firstLongest(children.durationsNs, block);
        level.events[block] = children.events[best];
        level.durationsNs[block] = children.durationsNs[best];
      }
    };
    yield* inPieces(level.events.length, fill, ROWS_OF_A_PIECE >>> FAN_OUT_SHIFT);
    levels.push(level.events);
    below = level;
  }
  return levels;
}

/** The first of the longest of a block. */
function firstLongest(durationsNs: Float64Array, block: number, end = durationsNs.length): number {
  const to = Math.min(end, (block + 1) << FAN_OUT_SHIFT);
  let best = block << FAN_OUT_SHIFT;
  for (let child = best + 1; child < to; child++)
    if (durationsNs[child] > durationsNs[best]) best = child;
  return best;
}

const endOf = (times: EventTimes, index: number) => times.startNs(index) + times.durationNs(index);

/** Of the first events of a lane: when the last of them ends, and how long their union is. */
interface Union {
  latestNs: number;
  coveredNs: number;
}

/** Takes the events with index in [from, to) into `union`, which is that of all before them. */
function extendUnion(times: EventTimes, from: number, to: number, union: Union): void {
  for (let index = from; index < to; index++) {
    const start = times.startNs(index);
    const end = start + times.durationNs(index);
    if (end <= union.latestNs) continue;
    union.coveredNs += end - Math.max(start, union.latestNs);
    union.latestNs = end;
  }
}

/** Indexes events that are sorted by start. Durations are ns and not negative. */
export function buildLane(events: LaneEvents): EventLane {
  return atOnce(buildLaneInPieces(events));
}

/** As buildLane, in pieces. */
export function* buildLaneInPieces({ times, rows, colours }: LaneEvents): Pieces<EventLane> {
  const { length } = times;
  const sums = new LaneSums(times);
  yield* inPieces(length, (from, to) => sums.add(from, to));
  yield;
  const { blockLatestNs, blockCoveredNs, longest, sumNs } = sums;
  const meanNs = length === 0 ? 0 : sumNs / length;
  const levels = yield* buildLevels(length, longest);
  return { times, rows, colours, length, blockLatestNs, blockCoveredNs, levels, meanNs };
}

/** So many events are read at once, whole blocks of them: their times stay in the cache of a CPU. */
const READ_AT_ONCE = 4096;
const readStartsNs = new Float64Array(READ_AT_ONCE);
const readDurationsNs = new Float64Array(READ_AT_ONCE);

/** What is worked out of a lane in one pass over its times, a few events after the other. */
class LaneSums {
  /** See EventLane. */
  readonly blockCoveredNs: Float64Array;
  blockLatestNs: Float64Array | undefined;
  readonly longest: LongestOfBlocks;
  sumNs = 0;
  readonly #times: EventTimes;
  /** Of the events that were added. */
  #latestNs = Number.NEGATIVE_INFINITY;
  #coveredNs = 0;

  constructor(times: EventTimes) {
    this.#times = times;
    this.blockCoveredNs = new Float64Array((times.length >>> UNION_SHIFT) + 1);
    this.longest = longestOfBlocks(times.length);
  }

  /** Adds the events from `begin`, where a block begins, up to `end`. */
  add(begin: number, end: number): void {
    for (let from = begin; from < end; from += READ_AT_ONCE) {
      const to = Math.min(end, from + READ_AT_ONCE);
      this.#times.read(from, to, readStartsNs, readDurationsNs);
      this.#unite(from, to);
      this.#findLongest(from, to);
    }
    if (end === this.#times.length) this.#endBlock(end);
  }

  /** Behind the last event: where a block ends there, the one that would follow begins. */
  #endBlock(end: number): void {
    const block = end >>> UNION_SHIFT;
    if (end !== block << UNION_SHIFT) return;
    this.blockCoveredNs[block] = this.#coveredNs;
    if (this.blockLatestNs !== undefined) this.blockLatestNs[block] = this.#latestNs;
  }

  #unite(from: number, to: number): void {
    let latestNs = this.#latestNs;
    let coveredNs = this.#coveredNs;
    let sumNs = this.sumNs;
    let latest = this.blockLatestNs;
    for (let index = from; index < to; index++) {
      const block = index >>> UNION_SHIFT;
      if (index === block << UNION_SHIFT) {
        this.blockCoveredNs[block] = coveredNs;
        if (latest !== undefined) latest[block] = latestNs;
      }
      const startNs = readStartsNs[index - from];
      const durationNs = readDurationsNs[index - from];
      const endNs = startNs + durationNs;
      sumNs += durationNs;
      if (endNs > latestNs) {
        coveredNs += endNs - Math.max(startNs, latestNs);
        latestNs = endNs;
      } else if (endNs !== latestNs) latest ??= this.#latestInOrder(block);
    }
    this.#latestNs = latestNs;
    this.#coveredNs = coveredNs;
    this.sumNs = sumNs;
    this.blockLatestNs = latest;
  }

  /** The latest ends before the blocks up to `last`: so far, events ended in order. */
  #latestInOrder(last: number): Float64Array {
    const latest = new Float64Array(this.blockCoveredNs.length);
    latest[0] = Number.NEGATIVE_INFINITY;
    for (let block = 1; block <= last; block++)
      latest[block] = endOf(this.#times, (block << UNION_SHIFT) - 1);
    return latest;
  }

  #findLongest(from: number, to: number): void {
    const { events, durationsNs } = this.longest;
    for (let index = from; index < to; index += FAN_OUT) {
      const best = firstLongest(readDurationsNs, (index - from) >>> FAN_OUT_SHIFT, to - from);
      events[index >>> FAN_OUT_SHIFT] = from + best;
      durationsNs[index >>> FAN_OUT_SHIFT] = readDurationsNs[best];
    }
  }
}

/** The union of the events before index `before`, written into `union`. */
function unionBefore(lane: EventLane, before: number, union: Union): void {
  const block = before >>> UNION_SHIFT;
  union.latestNs = latestBeforeBlock(lane, block);
  union.coveredNs = lane.blockCoveredNs[block];
  extendUnion(lane.times, block << UNION_SHIFT, before, union);
}

/** Latest end of the events before a block; -Infinity where there is none. */
function latestBeforeBlock({ blockLatestNs, times }: EventLane, block: number): number {
  if (blockLatestNs !== undefined) return blockLatestNs[block];
  return block === 0 ? Number.NEGATIVE_INFINITY : endOf(times, (block << UNION_SHIFT) - 1);
}

/** Latest end of the events before index `before`; -Infinity where there is none. */
export function latestEndBefore(lane: EventLane, before: number): number {
  if (lane.blockLatestNs === undefined)
    return before === 0 ? Number.NEGATIVE_INFINITY : endOf(lane.times, before - 1);
  const block = before >>> UNION_SHIFT;
  let latest = lane.blockLatestNs[block];
  for (let index = block << UNION_SHIFT; index < before; index++)
    latest = Math.max(latest, endOf(lane.times, index));
  return latest;
}

/** The first event that ends at `ns` or later; the lane's length where there is none. */
export function firstEndingAt(lane: EventLane, ns: number): number {
  const { blockLatestNs, times } = lane;
  if (blockLatestNs === undefined) return firstEndInOrder(times, ns);
  // Before the first block that knows of such an end: it is the block before that one, or the last.
  const block = Math.max(1, lowerBound(blockLatestNs, ns)) - 1;
  let index = block << UNION_SHIFT;
  while (index < lane.length && endOf(times, index) < ns) index++;
  return index;
}

/** As firstEndingAt, of events that end in order. */
function firstEndInOrder(times: EventTimes, ns: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(times, middle) >= ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First index in [from, length] that starts at `ns` or later, found by doubling steps from `from`. */
function gallop(times: EventTimes, ns: number, from: number): number {
  const { length } = times;
  let low = from;
  let step = 1;
  while (low + step < length && times.startNs(low + step - 1) < ns) {
    low += step;
    step *= 2;
  }
  let high = Math.min(length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times.startNs(middle) >= ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first event that starts at or after `ns`; the lane's length where there is none. */
export function firstStartingAt(lane: EventLane, ns: number, from = 0): number {
  return gallop(lane.times, ns, from);
}

/** Of the events started before index `started` and not over at `ns`, the one that ends last (of several the longest); -1 = none. */
export function openAt(lane: EventLane, ns: number, started: number): number {
  return started === 0 ? -1 : endingLast(lane, ns, started, latestEndBefore(lane, started));
}

/** `openAt`, where the latest end of the events before `started` is known. */
function endingLast(lane: EventLane, ns: number, started: number, latest: number): number {
  if (latest <= ns) return -1;
  // Mostly the one before it: nothing that started earlier lasts as long.
  const previous = started - 1;
  const isIts = endOf(lane.times, previous) === latest;
  if (isIts && latestEndBefore(lane, previous) < latest) return previous;
  return firstEndingAt(lane, latest);
}

function longer(lane: EventLane, a: number, b: number): number {
  if (a < 0) return b;
  if (b < 0) return a;
  return lane.times.durationNs(b) > lane.times.durationNs(a) ? b : a;
}

function scanLevel(lane: EventLane, level: number, from: number, to: number, best: number): number {
  const entries = level === 0 ? undefined : lane.levels[level - 1];
  let result = best;
  for (let entry = from; entry < to; entry++)
    result = longer(lane, result, entries === undefined ? entry : entries[entry]);
  return result;
}

/** The longest event with index in [from, to); of equals any; -1 where the range is empty. */
export function longestBetween(lane: EventLane, from: number, to: number): number {
  let low = from;
  let high = to;
  let best = -1;
  for (let level = 0; low < high; level++) {
    if (high - low <= FAN_OUT * 2 || level === lane.levels.length)
      return scanLevel(lane, level, low, high, best);
    const lowBlock = (low + FAN_OUT - 1) >>> FAN_OUT_SHIFT;
    const highBlock = high >>> FAN_OUT_SHIFT;
    best = scanLevel(lane, level, low, lowBlock << FAN_OUT_SHIFT, best);
    best = scanLevel(lane, level, highBlock << FAN_OUT_SHIFT, high, best);
    low = lowBlock;
    high = highBlock;
  }
  return best;
}

/** How much of the union of the events that start before `ns` lies before it. */
const coveredUntil = ({ latestNs, coveredNs }: Union, ns: number) =>
  coveredNs - Math.max(0, latestNs - ns);

/**
 * What [startNs, endNs) holds: the events that start in it, and the one still open at its start
 * (of several the one that ends last, of those the longest).
 */
export function summarizeStretch(lane: EventLane, startNs: number, endNs: number): StretchSummary {
  if (lane.buckets !== undefined) {
    const total = pixelSummaries(1);
    summarizeBuckets(lane.buckets, lane.times, startNs, endNs - startNs, 1, total);
    return { longest: total.longest[0], count: total.counts[0], busyNs: total.busyNs[0] };
  }
  const from = firstStartingAt(lane, startNs);
  const to = firstStartingAt(lane, endNs, from);
  const open = openAt(lane, startNs, from);
  const union: Union = { latestNs: 0, coveredNs: 0 };
  unionBefore(lane, from, union);
  const covered = coveredUntil(union, startNs);
  unionBefore(lane, to, union);
  return {
    longest: longer(lane, open, longestBetween(lane, from, to)),
    count: to - from + (open < 0 ? 0 : 1),
    busyNs: coveredUntil(union, endNs) - covered,
  };
}

/** Of each pixel. `longest` is -1 where there is no event. */
export type PixelSummaries = StretchTotals;

export function pixelSummaries(pixels: number): PixelSummaries {
  return {
    longest: new Int32Array(pixels),
    counts: new Uint32Array(pixels),
    busyNs: new Float64Array(pixels),
  };
}

/** `summarizeStretch` for `pixels` stretches of `nsPerPixel` in a row, written into `out`. */
export function summarizePixels(
  lane: EventLane,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: PixelSummaries,
): void {
  if (lane.buckets !== undefined) {
    summarizeBuckets(lane.buckets, lane.times, startNs, nsPerPixel, pixels, out);
    return;
  }
  let from = firstStartingAt(lane, startNs);
  const union: Union = { latestNs: 0, coveredNs: 0 };
  unionBefore(lane, from, union);
  let covered = coveredUntil(union, startNs);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const endNs = startNs + (pixel + 1) * nsPerPixel;
    const to = firstStartingAt(lane, endNs, from);
    const open = endingLast(lane, startNs + pixel * nsPerPixel, from, union.latestNs);
    if (to >>> UNION_SHIFT === from >>> UNION_SHIFT) extendUnion(lane.times, from, to, union);
    else unionBefore(lane, to, union);
    const coveredNext = coveredUntil(union, endNs);
    out.longest[pixel] = longer(lane, open, longestBetween(lane, from, to));
    out.counts[pixel] = to - from + (open < 0 ? 0 : 1);
    out.busyNs[pixel] = coveredNext - covered;
    from = to;
    covered = coveredNext;
  }
}

/**
 * The first event in [from, to) that counts, or `to`; blocks of which none does are skipped. `mayCount` is told how long the longest event
 * of a block is and which event is the last of it, or of one event the same.
 */
function nextCounting(
  lane: EventLane,
  from: number,
  to: number,
  mayCount: (longestNs: number, last: number) => boolean,
): number {
  const blockOf = (level: number) => 1 << ((level + 1) * FAN_OUT_SHIFT);
  let index = from;
  while (index < to) {
    let level = 0;
    while (level < lane.levels.length && (index & (blockOf(level) - 1)) === 0) {
      const longest = lane.levels[level][index >>> ((level + 1) * FAN_OUT_SHIFT)];
      const last = Math.min(lane.length, index + blockOf(level)) - 1;
      if (mayCount(lane.times.durationNs(longest), last)) break;
      level++;
    }
    if (level > 0) index += blockOf(level - 1);
    else if (mayCount(lane.times.durationNs(index), index)) return index;
    else index++;
  }
  return to;
}

/** The first event in [from, to) of at least `minimumNs`, or `to`; blocks of shorter ones are skipped. */
export function nextLongEvent(
  lane: EventLane,
  from: number,
  to: number,
  minimumNs: number,
): number {
  return nextCounting(lane, from, to, (longestNs) => longestNs >= minimumNs);
}

/** Calls `visit` with each event in [from, to) of at least `minimumNs`, in order, skipping blocks of shorter ones. */
export function visitLongEvents(
  lane: EventLane,
  from: number,
  to: number,
  minimumNs: number,
  visit: (index: number) => void,
): void {
  const isLong = (longestNs: number) => longestNs >= minimumNs;
  const next = (at: number) => nextCounting(lane, at, to, isLong);
  for (let index = next(from); index < to; index = next(index + 1)) visit(index);
}

/** Calls `visit` with each event in [from, to) that is not over at `ns`, in order; all of them start before it. */
export function visitOpenEvents(
  lane: EventLane,
  from: number,
  to: number,
  ns: number,
  visit: (index: number) => void,
): void {
  const isOpen = (longestNs: number, last: number) => lane.times.startNs(last) + longestNs > ns;
  const next = (at: number) => nextCounting(lane, at, to, isOpen);
  for (let index = next(from); index < to; index = next(index + 1)) visit(index);
}
