import { lowerBound } from '../../shared/numbers/bisect.ts';
import { MAX_LEVEL } from '../../shared/rpc/tiles-query.ts';
import { pickEvents } from '../model/lanes.ts';
import {
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  type OwnEvents,
  pixelSummaries,
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
/** In a lane whose events overlap, so many of those that are open at a tile's begin, and of those as long as a bucket. */
const MOST_LONG_EVENTS = 4_096;

/** The events of a tile, in order of start, with what each is called. */
export interface TileEvents extends OwnEvents {
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

/** The events at `indexes`, in their order, each of the kind that `kindOf` says. */
export function pickTileEvents(
  events: Pick<EventLane, 'times' | 'rows' | 'colours'>,
  kindOf: KindOf,
  indexes: readonly number[] | Uint32Array | Int32Array,
): TileEvents {
  const kinds = new Uint32Array(indexes.length);
  // Plain loops here and in pickEvents: the page does this for each lane in one frame.
  for (let at = 0; at < kinds.length; at++) kinds[at] = kindOf(indexes[at] as number);
  const { times, rows, colours } = pickEvents(events, indexes);
  const startNs = new Float64Array(kinds.length);
  const durationNs = new Float64Array(kinds.length);
  for (let at = 0; at < kinds.length; at++) {
    startNs[at] = times.startNs(at);
    durationNs[at] = times.durationNs(at);
  }
  return { startNs, durationNs, rows, colours, kinds };
}

/** The tile `index` of a level, of a lane with all its events. */
export function makeTile(lane: EventLane, kindOf: KindOf, level: number, index: number): LaneTile {
  const startNs = index * tileNsOf(level);
  const from = firstStartingAt(lane, startNs);
  const to = firstStartingAt(lane, startNs + tileNsOf(level), from);
  const open = openAtBegin(lane, from, startNs);
  if (open.length + to - from <= EXACT_EVENTS) {
    const own = Array.from({ length: to - from }, (_, at) => from + at);
    return { level, index, events: pickTileEvents(lane, kindOf, [...open, ...own]) };
  }
  const all = bucketsOf(lane, level, index);
  const long: number[] = [];
  visitLongEvents(lane, from, to, bucketNsOf(level), (event) => {
    if (long.length < MOST_LONG_EVENTS) long.push(event);
  });
  const told = inOrderOnce(all.longest, open.slice(0, MOST_LONG_EVENTS), long);
  const placeOf = (event: number) => (event < 0 ? -1 : lowerBound(told, event));
  const buckets = { ...all, longest: all.longest.map(placeOf) };
  return { level, index, events: pickTileEvents(lane, kindOf, told), buckets };
}

/** All indexes of some lists in order, each once; below 0 is none. No sets: a screen is of hundreds of tiles. */
function inOrderOnce(...lists: readonly (readonly number[] | Int32Array)[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let count = 0;
  for (const index of all)
    if (index >= 0 && (count === 0 || all[count - 1] !== index)) all[count++] = index;
  return all.subarray(0, count);
}

/** The events before index `from` that are not over at a tile's begin. */
function openAtBegin(lane: EventLane, from: number, startNs: number): number[] {
  const open: number[] = [];
  visitOpenEvents(lane, firstEndingAt(lane, startNs), from, startNs, (index) => open.push(index));
  return open;
}

/** The buckets of a tile, by all events of its lane: `longest` are indexes of these. */
export function bucketsOf(lane: EventLane, level: number, index: number): TileBuckets {
  const startNs = index * tileNsOf(level);
  const bucketNs = bucketNsOf(level);
  const summaries = pixelSummaries(BUCKETS);
  summarizePixels(lane, startNs, bucketNs, BUCKETS, summaries);
  const { longest, busyNs } = summaries;
  return { longest, busyNs, started: startedBy(lane, startNs, bucketNs) };
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
