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
    own.longest.forEach((event, bucket) => {
      if (event >= 0) buckets.longest[offset + bucket] = ownPlaces?.[event] ?? -1;
    });
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
  const order = identity(total).sort((a, b) => compareEvents(all, a, b) || a - b);
  const placeOf = new Uint32Array(total);
  const kept: number[] = [];
  for (const at of order) {
    const last = kept.at(-1);
    if (last === undefined || compareEvents(all, last, at) !== 0) kept.push(at);
    placeOf[at] = kept.length - 1;
  }
  const events = pickTileEvents(all, (at) => all.kinds[at], kept);
  const places = new Map(
    distinct.map((tile, at) => [
      tile,
      placeOf.subarray(offsets[at], offsets[at] + tile.events.startNs.length),
    ]),
  );
  return { events, places };
}

const identity = (length: number) => Uint32Array.from({ length }, (_, at) => at);

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
