import { lowerBound } from '../../shared/numbers/bisect.ts';

/**
 * Events of one lane, sorted by start, and what answers "what happened in this pixel?" without
 * scanning them: a pyramid of longest events over blocks of 16 (index-based, so one long pause
 * costs nothing), and running unions that give busy time exactly, overlaps counted once.
 */

const FAN_OUT_SHIFT = 4;
const FAN_OUT = 1 << FAN_OUT_SHIFT;

export interface EventLane {
  readonly length: number;
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  /** Row of the track's table, by event. */
  readonly rows: Uint32Array;
  /** Index into the theme's palette, by event. */
  readonly colours: Uint8Array;
  /** Latest end of the events up to and including this one: never falls, so it can be bisected. */
  readonly latestEndNs: Float64Array;
  /** Length of the union of the events before this one; one element more than events. */
  readonly coveredNs: Float64Array;
  /** Level k: the longest event of each block of 16^(k+1) events. */
  readonly levels: readonly Uint32Array[];
  readonly meanNs: number;
}

export interface LaneEvents {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly rows: Uint32Array;
  readonly colours: Uint8Array;
}

/** What one stretch of time holds. `longest` is -1 where there is no event. */
interface StretchSummary {
  readonly longest: number;
  readonly count: number;
  readonly busyNs: number;
}

function buildLevels(durationNs: Float64Array): Uint32Array[] {
  const levels: Uint32Array[] = [];
  let below: Uint32Array | undefined;
  let length = durationNs.length;
  while (length > FAN_OUT) {
    const blocks = Math.ceil(length / FAN_OUT);
    const level = new Uint32Array(blocks);
    for (let block = 0; block < blocks; block++) {
      const to = Math.min(length, (block + 1) << FAN_OUT_SHIFT);
      let best = below === undefined ? block << FAN_OUT_SHIFT : below[block << FAN_OUT_SHIFT];
      for (let child = (block << FAN_OUT_SHIFT) + 1; child < to; child++) {
        const candidate = below === undefined ? child : below[child];
        if (durationNs[candidate] > durationNs[best]) best = candidate;
      }
      level[block] = best;
    }
    levels.push(level);
    below = level;
    length = blocks;
  }
  return levels;
}

/** Indexes events that are sorted by start. Durations are ns and not negative. */
export function buildLane(events: LaneEvents): EventLane {
  const { startNs, durationNs } = events;
  const length = startNs.length;
  const latestEndNs = new Float64Array(length);
  const coveredNs = new Float64Array(length + 1);
  let latest = Number.NEGATIVE_INFINITY;
  let covered = 0;
  let sum = 0;
  for (let index = 0; index < length; index++) {
    const start = startNs[index];
    const end = start + durationNs[index];
    if (end > latest) {
      covered += end - Math.max(start, latest);
      latest = end;
    }
    sum += durationNs[index];
    latestEndNs[index] = latest;
    coveredNs[index + 1] = covered;
  }
  const meanNs = length === 0 ? 0 : sum / length;
  return { ...events, length, latestEndNs, coveredNs, levels: buildLevels(durationNs), meanNs };
}

/** First index in [from, length] whose value is ≥ `value`, found by doubling steps from `from`. */
export function gallop(sorted: Float64Array, value: number, from: number): number {
  const length = sorted.length;
  let low = from;
  let step = 1;
  while (low + step < length && sorted[low + step - 1] < value) {
    low += step;
    step *= 2;
  }
  return lowerBound(sorted, value, low, Math.min(length, low + step));
}

/** The first event that starts at or after `ns`; the lane's length where there is none. */
export function firstStartingAt(lane: EventLane, ns: number, from = 0): number {
  return gallop(lane.startNs, ns, from);
}

/** Of the events started before index `started` and not over at `ns`, the one that ends last (of several the longest); -1 = none. */
export function openAt(lane: EventLane, ns: number, started: number): number {
  if (started === 0) return -1;
  const latest = lane.latestEndNs[started - 1];
  if (latest <= ns) return -1;
  // Mostly the one before it: nothing that started earlier lasts as long.
  const previous = started - 1;
  if (previous === 0 || lane.latestEndNs[previous - 1] < latest) return previous;
  return gallop(lane.latestEndNs, latest, 0);
}

function longer(lane: EventLane, a: number, b: number): number {
  if (a < 0) return b;
  if (b < 0) return a;
  return lane.durationNs[b] > lane.durationNs[a] ? b : a;
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

/** Length of the union of all events before `ns`, of which `started` events start before it. */
function coveredBefore(lane: EventLane, ns: number, started: number): number {
  if (started === 0) return 0;
  const overhang = lane.latestEndNs[started - 1] - ns;
  return lane.coveredNs[started] - Math.max(0, overhang);
}

/**
 * What [startNs, endNs) holds: the events that start in it, and the one still open at its start
 * (of several the one that ends last, of those the longest).
 */
export function summarizeStretch(lane: EventLane, startNs: number, endNs: number): StretchSummary {
  const from = firstStartingAt(lane, startNs);
  const to = firstStartingAt(lane, endNs, from);
  const open = openAt(lane, startNs, from);
  return {
    longest: longer(lane, open, longestBetween(lane, from, to)),
    count: to - from + (open < 0 ? 0 : 1),
    busyNs: coveredBefore(lane, endNs, to) - coveredBefore(lane, startNs, from),
  };
}

export interface PixelSummaries {
  readonly longest: Int32Array;
  readonly counts: Uint32Array;
  readonly busyNs: Float64Array;
}

/** `summarizeStretch` for `pixels` stretches of `nsPerPixel` in a row, written into `out`. */
export function summarizePixels(
  lane: EventLane,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: PixelSummaries,
): void {
  let from = firstStartingAt(lane, startNs);
  let covered = coveredBefore(lane, startNs, from);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const endNs = startNs + (pixel + 1) * nsPerPixel;
    const to = firstStartingAt(lane, endNs, from);
    const open = openAt(lane, startNs + pixel * nsPerPixel, from);
    const coveredNext = coveredBefore(lane, endNs, to);
    out.longest[pixel] = longer(lane, open, longestBetween(lane, from, to));
    out.counts[pixel] = to - from + (open < 0 ? 0 : 1);
    out.busyNs[pixel] = coveredNext - covered;
    from = to;
    covered = coveredNext;
  }
}

/** Calls `visit` with each event in [from, to) of at least `minimumNs`, in order, skipping blocks of shorter ones. */
export function visitLongEvents(
  lane: EventLane,
  from: number,
  to: number,
  minimumNs: number,
  visit: (index: number) => void,
): void {
  let index = from;
  while (index < to) {
    let level = 0;
    while (
      level < lane.levels.length &&
      (index & ((1 << ((level + 1) * FAN_OUT_SHIFT)) - 1)) === 0 &&
      lane.durationNs[lane.levels[level][index >>> ((level + 1) * FAN_OUT_SHIFT)]] < minimumNs
    )
      level++;
    if (level > 0) {
      index += 1 << (level * FAN_OUT_SHIFT);
      continue;
    }
    if (lane.durationNs[index] >= minimumNs) visit(index);
    index++;
  }
}
