import { emptyEvents } from '../model/lanes.ts';
import { buildLane, type EventLane } from '../model/pyramid.ts';
import {
  BUCKETS,
  bucketNsOf,
  bucketsOf,
  type LaneTile,
  pickTileEvents,
  type TileBuckets,
  type TileEvents,
  tileNsOf,
} from './lane-tile.ts';

/** A lane as far as tiles tell of it, with what each of its events is called. */
export interface TiledLane extends EventLane {
  readonly kinds: Uint32Array;
}

/** What is the same in every tile of a lane. */
interface LaneFacts {
  readonly meanNs: number;
}

/**
 * One lane of tiles side by side, from `first` on, each of `level` or a coarser one that holds its place; undefined =
 * nothing is known there yet. With exact tiles only it has every event.
 */
export function joinTiles(
  tiles: readonly (LaneTile | undefined)[],
  level: number,
  first: number,
  { meanNs }: LaneFacts,
): TiledLane {
  const { events, places } = mergeEvents(tiles);
  const lane = { ...buildLane(events), kinds: events.kinds, meanNs };
  if (tiles.every((tile) => tile !== undefined && tile.buckets === undefined)) return lane;
  const count = tiles.length * BUCKETS;
  const buckets = {
    startNs: first * tileNsOf(level),
    bucketNs: bucketNsOf(level),
    longest: new Int32Array(count).fill(-1),
    started: new Uint32Array(count),
    busyNs: new Float64Array(count),
  };
  tiles.forEach((tile, at) => {
    if (tile === undefined) return;
    const own = bucketsAt(tile, level, first + at);
    const ownPlaces = places.get(tile);
    const offset = at * BUCKETS;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const event = own.longest[bucket];
      if (event >= 0) buckets.longest[offset + bucket] = ownPlaces?.[event] ?? -1;
    }
    buckets.started.set(own.started, offset);
    buckets.busyNs.set(own.busyNs, offset);
  });
  return { ...lane, buckets };
}

/** The events of all tiles in order of start, each once, and where those of each tile went. */
function mergeEvents(tiles: readonly (LaneTile | undefined)[]): {
  readonly events: TileEvents;
  readonly places: ReadonlyMap<LaneTile, Uint32Array>;
} {
  const distinct = [...new Set(tiles.filter((tile) => tile !== undefined))];
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1)
    return { events: only.events, places: new Map([[only, identity(only.events.startNs.length)]]) };
  const offsets: number[] = [];
  let total = 0;
  for (const { events } of distinct) {
    offsets.push(total);
    total += events.startNs.length;
  }
  const all = { ...emptyEvents(total), kinds: new Uint32Array(total) };
  distinct.forEach(({ events }, at) => {
    setEvents(all, events, offsets[at]);
  });
  const { kept, placeOf } = eachOnce(all, inOrder(all));
  const events = pickTileEvents(all, (at) => all.kinds[at], kept);
  const places = new Map(
    distinct.map((tile, at) => [
      tile,
      placeOf.subarray(offsets[at], offsets[at] + tile.events.startNs.length),
    ]),
  );
  return { events, places };
}

function identity(length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  for (let at = 0; at < length; at++) numbers[at] = at;
  return numbers;
}

/**
 * The events from first to last; the same ones stay as they are. The events of a tile are mostly in order already: what is in
 * order is merged two and two, so that a lane costs a pass for each doubling of its tiles. All lanes are joined anew in
 * the frame in which somebody zooms to another level.
 */
function inOrder(all: TileEvents): Uint32Array {
  const total = all.startNs.length;
  let order: Uint32Array = identity(total);
  let merged: Uint32Array = new Uint32Array(total);
  let runs = runsOf(all);
  while (runs.length > 1) {
    const pairs: number[] = [];
    for (let run = 0; run < runs.length; run += 2) {
      const [from = 0, middle = total, to = total] = runs.slice(run, run + 3);
      pairs.push(from);
      mergeTwo(all, order, merged, from, middle, to);
    }
    runs = pairs;
    [order, merged] = [merged, order];
  }
  return order;
}

/** Where each stretch of events begins that are in order as they are. */
function runsOf(all: TileEvents): number[] {
  const runs = [0];
  for (let at = 1; at < all.startNs.length; at++)
    if (compareEvents(all, at - 1, at) > 0) runs.push(at);
  return runs;
}

/** Merges what of `order` lies in [from, middle) with what lies in [middle, to), each in order, to the same places of `merged`. */
function mergeTwo(
  all: TileEvents,
  order: Uint32Array,
  merged: Uint32Array,
  from: number,
  middle: number,
  to: number,
): void {
  let a = from;
  let b = middle;
  let at = from;
  while (a < middle && b < to)
    merged[at++] = compareEvents(all, order[b], order[a]) < 0 ? order[b++] : order[a++];
  if (a < middle) merged.set(order.subarray(a, middle), at);
  else merged.set(order.subarray(b, to), at);
}

/** Of events in order each different one, and which of these each is. */
function eachOnce(all: TileEvents, order: Uint32Array) {
  const placeOf = new Uint32Array(order.length);
  const kept = new Uint32Array(order.length);
  let count = 0;
  for (let at = 0; at < order.length; at++) {
    const event = order[at];
    if (count === 0 || compareEvents(all, kept[count - 1], event) !== 0) kept[count++] = event;
    placeOf[event] = count - 1;
  }
  return { kept: kept.subarray(0, count), placeOf };
}

/** 0 = the same event. */
function compareEvents(all: TileEvents, a: number, b: number): number {
  return (
    all.startNs[a] - all.startNs[b] ||
    all.rows[a] - all.rows[b] ||
    all.durationNs[b] - all.durationNs[a] ||
    all.kinds[a] - all.kinds[b]
  );
}

function setEvents(into: TileEvents, from: TileEvents, offset: number): void {
  into.startNs.set(from.startNs, offset);
  into.durationNs.set(from.durationNs, offset);
  into.rows.set(from.rows, offset);
  into.colours.set(from.colours, offset);
  into.kinds.set(from.kinds, offset);
}

/** The buckets of place `index` of `level`, as a tile of that level or a coarser one tells them. */
function bucketsAt(tile: LaneTile, level: number, index: number): TileBuckets {
  if (tile.buckets === undefined) return bucketsOf(buildLane(tile.events), level, index);
  return tile.level === level ? tile.buckets : finerBuckets(tile, tile.buckets, level, index);
}

/** Until a finer tile is here: what is known of a bucket is spread over the finer ones that it holds. */
function finerBuckets(
  tile: LaneTile,
  { longest, started, busyNs }: TileBuckets,
  level: number,
  index: number,
): TileBuckets {
  const finer = {
    longest: new Int32Array(BUCKETS).fill(-1),
    started: new Uint32Array(BUCKETS),
    busyNs: new Float64Array(BUCKETS),
  };
  const bucketNs = bucketNsOf(level);
  const share = bucketNs / bucketNsOf(tile.level);
  const tileStartNs = tile.index * tileNsOf(tile.level);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const ns = index * tileNsOf(level) + bucket * bucketNs;
    const coarse = Math.floor((ns - tileStartNs) / bucketNsOf(tile.level));
    finer.longest[bucket] = longest[coarse] ?? -1;
    finer.started[bucket] = Math.ceil((started[coarse] ?? 0) * share);
    finer.busyNs[bucket] = (busyNs[coarse] ?? 0) * share;
  }
  return finer;
}
