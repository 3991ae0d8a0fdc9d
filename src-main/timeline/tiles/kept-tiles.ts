import type { TileRun, TilesWanted } from '../../shared/rpc/tiles-query.ts';
import { type LaneTile, topLevel } from './lane-tile.ts';
import type { LineTile } from './line-tile.ts';
import {
  namesOf,
  type TileAnswer,
  type ToldBuckets,
  type ToldLane,
  type ToldLine,
  tilesOf,
  wantedLines,
} from './tile-answers.ts';

/**
 * So many levels from the top are kept: those of a view of the whole trace, on a screen of up to eight times as many pixels as a
 * tile has buckets.
 */
const LEVELS = 4;
const MOST_BYTES = 8 * 2 ** 20;
const BYTES_OF_AN_EVENT = 25;
const BYTES_OF_A_BUCKET = 16;
const BYTES_OF_A_SAMPLE = 16;
const BYTES_OF_A_COUNT = 24;

/** By level and index. */
type Tiles<Tile> = Map<string, Tile>;

interface KeptLane {
  readonly told: Omit<ToldLane, 'tiles' | 'names'>;
  readonly names: Map<number, string>;
  readonly tiles: Tiles<LaneTile>;
}

/** What is written to the disk. */
export interface KeptTilesContent {
  /** By track and part. */
  readonly lanes: Map<string, KeptLane>;
  /** By track. */
  readonly lines: Map<number, Tiles<LineTile>>;
  /** By track. */
  readonly buckets: Map<number, ToldBuckets>;
  bytes: number;
}

const tileKey = (level: number, index: number) => `${level}.${index}`;
const laneKey = (track: number, part: number) => `${track}.${part}`;

/**
 * Tiles of the first view of a trace: those that were asked for when all of it was shown. They are told again, just as
 * they were, without the lanes that they are made of.
 */
export class KeptTiles {
  readonly content: KeptTilesContent;

  /** `content`: what another one had of the same trace. */
  constructor(
    content: KeptTilesContent = {
      lanes: new Map(),
      lines: new Map(),
      buckets: new Map(),
      bytes: 0,
    },
  ) {
    this.content = content;
  }

  /** What is kept of the tiles that are wanted, marked as cut where that is not all; undefined where that is nothing. */
  find({ filter, runs }: TilesWanted): TileAnswer | undefined {
    if (filter !== '') return undefined;
    const lanes: ToldLane[] = [];
    const lines: ToldLine[] = [];
    const buckets: ToldBuckets[] = [];
    let isCut = false;
    for (const wanted of wantedLines(runs)) {
      const [{ track, part }] = wanted;
      const counted = this.content.buckets.get(track);
      const line = findAll(this.content.lines.get(track), wanted);
      const lane = this.#lane(laneKey(track, part), wanted);
      if (counted !== undefined) buckets.push(counted);
      else if (line !== undefined) lines.push({ track, tiles: line });
      else if (lane !== undefined) lanes.push(lane);
      else isCut = true;
    }
    const isNothing = lanes.length + lines.length + buckets.length === 0;
    return isNothing ? undefined : { lanes, lines, buckets, isCut };
  }

  #lane(key: string, wanted: readonly TileRun[]): ToldLane | undefined {
    const lane = this.content.lanes.get(key);
    const tiles = findAll(lane?.tiles, wanted);
    if (lane === undefined || tiles === undefined) return undefined;
    return { ...lane.told, tiles, names: namesOf(tiles, (kind) => lane.names.get(kind) ?? '') };
  }

  /** Keeps what was told of `wanted` about a trace of that length, as far as it is of its first view; whether something is new. */
  note({ filter }: TilesWanted, told: TileAnswer, lengthNs: number): boolean {
    if (filter !== '') return false;
    const before = this.content.bytes;
    const leastLevel = topLevel(Math.max(1, lengthNs)) - LEVELS + 1;
    const { lanes, lines } = this.content;
    for (const { tiles, names, ...lane } of told.lanes) {
      const key = laneKey(lane.track, lane.part);
      const kept = lanes.get(key) ?? { told: lane, names: new Map(), tiles: new Map() };
      const isNew = this.#put(kept.tiles, tiles, leastLevel, bytesOfLaneTile);
      if (isNew) for (const [kind, name] of names) kept.names.set(kind, name);
      if (isNew) lanes.set(key, kept);
    }
    for (const { track, tiles } of told.lines) {
      const kept = lines.get(track) ?? new Map<string, LineTile>();
      if (this.#put(kept, tiles, leastLevel, bytesOfLineTile)) lines.set(track, kept);
    }
    for (const counted of told.buckets) this.#putBuckets(counted);
    return this.content.bytes > before;
  }

  #put<Tile extends { readonly level: number; readonly index: number }>(
    kept: Tiles<Tile>,
    tiles: readonly Tile[],
    leastLevel: number,
    bytesOf: (tile: Tile) => number,
  ): boolean {
    const before = kept.size;
    for (const tile of tiles) {
      const key = tileKey(tile.level, tile.index);
      if (tile.level < leastLevel || kept.has(key)) continue;
      if (this.#takes(bytesOf(tile))) kept.set(key, tile);
    }
    return kept.size > before;
  }

  #putBuckets(counted: ToldBuckets): void {
    const { buckets } = this.content;
    const isKnown = buckets.has(counted.track);
    if (!isKnown && this.#takes(bytesOfBuckets(counted))) buckets.set(counted.track, counted);
  }

  /** Whether so many bytes more are kept. */
  #takes(bytes: number): boolean {
    if (this.content.bytes + bytes > MOST_BYTES) return false;
    this.content.bytes += bytes;
    return true;
  }
}

/** At least one: an empty tile is new, too. */
const bytesOfLaneTile = ({ events, buckets }: LaneTile) =>
  1 +
  events.rows.length * BYTES_OF_AN_EVENT +
  (buckets === undefined ? 0 : buckets.busyNs.length * BYTES_OF_A_BUCKET);
const bytesOfBuckets = ({ counts }: ToldBuckets) => 1 + counts.length * BYTES_OF_A_COUNT;
const bytesOfLineTile = ({ timesNs }: LineTile) => 1 + timesNs.length * BYTES_OF_A_SAMPLE;

/** Those of all runs; undefined where one is not kept. */
function findAll<Tile>(
  kept: Tiles<Tile> | undefined,
  wanted: readonly TileRun[],
): Tile[] | undefined {
  if (kept === undefined) return undefined;
  const tiles = tilesOf(wanted, (level, index) => kept.get(tileKey(level, index)));
  return tiles.every((tile) => tile !== undefined) ? tiles : undefined;
}
