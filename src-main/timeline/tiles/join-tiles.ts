import type { Buckets } from '../model/buckets.ts';
import { buildLane, type EventLane, ownEvents } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import {
  BUCKETS,
  bucketNsOf,
  bucketsOf,
  type LaneTile,
  type TileBuckets,
  type TileEvents,
  tileNsOf,
} from './lane-tile.ts';
import { mergeEvents, type Places } from './merge-events.ts';

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
  const lane = { ...laneOf(events), kinds: events.kinds, meanNs };
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
    writeBuckets(buckets, at * BUCKETS, tile, level, first + at, places.get(tile) ?? 0);
  });
  return { ...lane, buckets };
}

/** A tile's own events are a lane again and again: in every finer scale, and where others are missing. */
const laneOf = (events: TileEvents): EventLane =>
  remember(events, 'lane', () => buildLane(ownEvents(events)));

/**
 * Writes the buckets of place `index` of `level` into those from `offset` on, as a tile of that level or a coarser one
 * tells them.
 */
function writeBuckets(
  into: Buckets,
  offset: number,
  tile: LaneTile,
  level: number,
  index: number,
  places: Places,
): void {
  if (tile.buckets !== undefined && tile.level !== level) {
    writeFinerBuckets(into, offset, tile, tile.buckets, level, index, places);
    return;
  }
  const own = tile.buckets ?? bucketsOf(laneOf(tile.events), level, index);
  into.longest.set(own.longest, offset);
  into.started.set(own.started, offset);
  into.busyNs.set(own.busyNs, offset);
  if (places !== 0) placeEvents(into.longest.subarray(offset, offset + BUCKETS), places);
}

/** Indexes of a tile's events, as they are among all; -1 of none stays. */
function placeEvents(events: Int32Array, places: Places): void {
  if (typeof places === 'number') {
    for (let at = 0; at < events.length; at++) if (events[at] >= 0) events[at] += places;
  } else for (let at = 0; at < events.length; at++) events[at] = placeOf(events[at], places);
}

/** Among all events, of an event of a tile; -1 of none. */
function placeOf(event: number, places: Places): number {
  if (event < 0) return -1;
  return typeof places === 'number' ? event + places : (places[event] ?? -1);
}

/** Until a finer tile is here: what is known of a bucket is spread over the finer ones that it holds. */
function writeFinerBuckets(
  into: Buckets,
  offset: number,
  tile: LaneTile,
  { longest, started, busyNs }: TileBuckets,
  level: number,
  index: number,
  places: Places,
): void {
  const share = bucketNsOf(level) / bucketNsOf(tile.level);
  const first = (index - tile.index / share) * BUCKETS;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const coarse = Math.floor((first + bucket) * share);
    into.longest[offset + bucket] = placeOf(longest[coarse] ?? -1, places);
    into.started[offset + bucket] = Math.ceil((started[coarse] ?? 0) * share);
    into.busyNs[offset + bucket] = (busyNs[coarse] ?? 0) * share;
  }
}
