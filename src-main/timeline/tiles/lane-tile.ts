import type { EventLane, LaneEvents, PixelSummaries } from '../model/pyramid.ts';
import {
  firstEndingAt,
  firstStartingAt,
  summarizePixels,
  visitLongEvents,
  visitOpenEvents,
} from '../model/pyramid.ts';

/**
 * A lane is cut into tiles, level by level: a tile of level n has BUCKETS buckets of 2^n ns. A level serves
 * scales from one bucket a pixel up to two. Where a tile has few events it is exact, and serves every finer scale too.
 */
export const BUCKETS = 512;
/** A tile with at most so many events is exact. */
const EXACT_EVENTS = 2 * BUCKETS;
/** Longer traces than 2^62 ns there are not. */
const MAX_LEVEL = 53;
/** In a lane whose events overlap, so many of those that are open at a tile's begin, and of those as long as a bucket. */
const MOST_LONG_EVENTS = 4_096;

/** The events of a tile, in order of start, with what each is called. */
export interface TileEvents extends LaneEvents {
  readonly kinds: Uint32Array;
}

/** One stretch of a lane, at one scale. */
export interface LaneTile {
  readonly level: number;
  readonly index: number;
  /** All of the stretch; with `buckets` those that are the longest of one, or as long as one. */
  readonly events: TileEvents;
  readonly buckets?: TileBuckets;
}

/** See Buckets, of which this is the part of one tile. */
export interface TileBuckets {
  /** Index into the tile's events. */
  readonly longest: Int32Array;
  readonly started: Uint32Array;
  readonly busyNs: Float64Array;
}

/** How long a bucket of a level is, ns. */
export const bucketNsOf = (level: number): number => 2 ** level;
/** How long a tile of a level is, ns. */
export const tileNsOf = (level: number): number => BUCKETS * bucketNsOf(level);

/** The level for a scale: its buckets are at most a pixel wide, and more than half of one. */
export function levelFor(nsPerPixel: number): number {
  return Math.min(MAX_LEVEL, Math.max(0, Math.floor(Math.log2(nsPerPixel))));
}

/** The level at which one tile holds all of a trace. */
export function topLevel(lengthNs: number): number {
  return Math.min(MAX_LEVEL, Math.max(0, Math.ceil(Math.log2(Math.max(1, lengthNs) / BUCKETS))));
}

type KindOf = (index: number) => number;

function pick(lane: EventLane, kindOf: KindOf, indexes: ArrayLike<number>): TileEvents {
  const { length } = indexes;
  const events = {
    startNs: new Float64Array(length),
    durationNs: new Float64Array(length),
    rows: new Uint32Array(length),
    colours: new Uint8Array(length),
    kinds: new Uint32Array(length),
  };
  for (let at = 0; at < length; at++) {
    const index = indexes[at];
    events.startNs[at] = lane.startNs[index];
    events.durationNs[at] = lane.durationNs[index];
    events.rows[at] = lane.rows[index];
    events.colours[at] = lane.colours[index];
    events.kinds[at] = kindOf(index);
  }
  return events;
}

/** The tile `index` of a level, of a lane with all its events. */
export function makeTile(lane: EventLane, kindOf: KindOf, level: number, index: number): LaneTile {
  const startNs = index * tileNsOf(level);
  const bucketNs = bucketNsOf(level);
  const from = firstStartingAt(lane, startNs);
  const to = firstStartingAt(lane, startNs + tileNsOf(level), from);
  const open = openAtBegin(lane, from, startNs);
  if (open.length + to - from <= EXACT_EVENTS) {
    const own = Array.from({ length: to - from }, (_, at) => from + at);
    return { level, index, events: pick(lane, kindOf, [...open, ...own]) };
  }
  const summaries: PixelSummaries = {
    longest: new Int32Array(BUCKETS),
    counts: new Uint32Array(BUCKETS),
    busyNs: new Float64Array(BUCKETS),
  };
  summarizePixels(lane, startNs, bucketNs, BUCKETS, summaries);
  const indexes = new Set<number>([...summaries.longest, ...open.slice(0, MOST_LONG_EVENTS)]);
  indexes.delete(-1);
  let room = MOST_LONG_EVENTS;
  visitLongEvents(lane, from, to, bucketNs, (long) => {
    if (room-- > 0) indexes.add(long);
  });
  const sorted = Uint32Array.from(indexes).sort();
  const places = new Map(Array.from(sorted, (own, place) => [own, place]));
  const buckets = {
    longest: summaries.longest.map((own) => places.get(own) ?? -1),
    started: startedBy(lane, startNs, bucketNs),
    busyNs: summaries.busyNs,
  };
  return { level, index, events: pick(lane, kindOf, sorted), buckets };
}

/** The events before index `from` that are not over at a tile's begin. */
function openAtBegin(lane: EventLane, from: number, startNs: number): number[] {
  const open: number[] = [];
  visitOpenEvents(lane, firstEndingAt(lane, startNs), from, startNs, (index) => open.push(index));
  return open;
}

/** How many events of a lane start in each bucket. */
function startedBy(lane: EventLane, startNs: number, bucketNs: number): Uint32Array {
  const started = new Uint32Array(BUCKETS);
  let from = firstStartingAt(lane, startNs);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const to = firstStartingAt(lane, startNs + (bucket + 1) * bucketNs, from);
    started[bucket] = to - from;
    from = to;
  }
  return started;
}
