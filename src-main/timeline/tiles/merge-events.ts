import { emptyEvents } from '../model/lanes.ts';
import { ownEvents } from '../model/pyramid.ts';
import { type LaneTile, pickTileEvents, type TileEvents } from './lane-tile.ts';

/** Where the events of a tile went among all: so many places further on, or event by event. */
export type Places = number | Uint32Array;

interface Merged {
  readonly events: TileEvents;
  readonly places: ReadonlyMap<LaneTile, Places>;
}

/** The events of all tiles in order of start, each once, and where those of each tile went. */
export function mergeEvents(tiles: readonly (LaneTile | undefined)[]): Merged {
  const distinct = [...new Set(tiles.filter((tile) => tile !== undefined))];
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1)
    return { events: only.events, places: new Map([[only, 0]]) };
  return appendEvents(distinct) ?? sortEvents(distinct);
}

/**
 * Tiles side by side of a lane without overlaps, which is most of them: the events of one follow those of the one before, but
 * for one that is in both. Nothing where that is not so. All lanes are joined anew in the frame in which somebody
 * zooms to another level: this takes a tenth of the time of sorting them.
 */
function appendEvents(tiles: readonly LaneTile[]): Merged | undefined {
  const places = new Map<LaneTile, number>();
  let total = 0;
  let before: TileEvents | undefined;
  for (const tile of tiles) {
    const { events } = tile;
    const { length } = events.startNs;
    if (!isInOrder(events)) return undefined;
    const order = before === undefined || length === 0 ? -1 : compareEnds(before, events);
    if (order > 0) return undefined;
    const place = order === 0 ? total - 1 : total;
    places.set(tile, place);
    total = place + length;
    if (length > 0) before = events;
  }
  const events = { ...emptyEvents(total), kinds: new Uint32Array(total) };
  // What is in two tiles is written twice, to the same place.
  for (const [tile, place] of places) setEvents(events, tile.events, place);
  return { events, places };
}

/** The last event of some and the first of those that follow. */
const compareEnds = (before: TileEvents, after: TileEvents) =>
  compareEvents(before, before.startNs.length - 1, 0, after);

/** Whether the events of a tile are in order, each once; found out when it is joined first. */
const inOrderByEvents = new WeakMap<TileEvents, boolean>();

function isInOrder(events: TileEvents): boolean {
  let isIt = inOrderByEvents.get(events);
  if (isIt === undefined) {
    isIt = true;
    for (let at = 1; isIt && at < events.startNs.length; at++)
      isIt = compareEvents(events, at - 1, at) < 0;
    inOrderByEvents.set(events, isIt);
  }
  return isIt;
}

/** Whatever lies over each other. */
function sortEvents(tiles: readonly LaneTile[]): Merged {
  const offsets: number[] = [];
  let total = 0;
  for (const { events } of tiles) {
    offsets.push(total);
    total += events.startNs.length;
  }
  const all = { ...emptyEvents(total), kinds: new Uint32Array(total) };
  tiles.forEach(({ events }, at) => {
    setEvents(all, events, offsets[at]);
  });
  const { kept, placeOf } = eachOnce(all, inOrder(all));
  const events = pickTileEvents(ownEvents(all), (at) => all.kinds[at], kept);
  const places = new Map(
    tiles.map((tile, at) => [
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

/** 0 = the same event. `others`: those that `b` is of, where these are not the same ones. */
function compareEvents(all: TileEvents, a: number, b: number, others = all): number {
  return (
    all.startNs[a] - others.startNs[b] ||
    all.rows[a] - others.rows[b] ||
    others.durationNs[b] - all.durationNs[a] ||
    all.kinds[a] - others.kinds[b]
  );
}

function setEvents(into: TileEvents, from: TileEvents, offset: number): void {
  into.startNs.set(from.startNs, offset);
  into.durationNs.set(from.durationNs, offset);
  into.rows.set(from.rows, offset);
  into.colours.set(from.colours, offset);
  into.kinds.set(from.kinds, offset);
}
