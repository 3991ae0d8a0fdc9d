import type { TileRun } from '../../shared/rpc/tiles-query.ts';
import type { LaneTile, TileEvents } from './lane-tile.ts';
import type { LineTile } from './line-tile.ts';

/** Parts of a track that are no line of its own: all events on one line, and what is drawn below that. */
export const SUMMARY = -1;
export const GROUND = -2;

/** Tiles of one line of a track. */
export interface ToldLane {
  readonly track: number;
  readonly part: number;
  /** On how many lines the track shows all its events; absent where that was not asked. */
  readonly lines?: number;
  readonly meanNs: number;
  readonly tiles: readonly LaneTile[];
  /** What events of a kind are called: of each kind in these tiles. */
  readonly names: readonly (readonly [kind: number, name: string])[];
}

export interface ToldLine {
  readonly track: number;
  readonly tiles: readonly LineTile[];
}

/** All of a track that counts by buckets of the recorder's. */
export interface ToldBuckets {
  readonly track: number;
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly counts: Float64Array;
}

export interface TileAnswer {
  readonly lanes: readonly ToldLane[];
  readonly lines: readonly ToldLine[];
  readonly buckets: readonly ToldBuckets[];
  /** Whether time was up before all of it was told: the rest is there to be asked for. */
  readonly isCut: boolean;
}

/** The runs of each line, one line after the other. */
export function wantedLines(runs: readonly TileRun[]): [TileRun, ...TileRun[]][] {
  const lines = Map.groupBy(runs, ({ track, part }) => `${track} ${part}`);
  return [...lines.values()] as [TileRun, ...TileRun[]][];
}

/** The tiles of some runs, one after the other. */
export function tilesOf<Tile>(
  runs: readonly TileRun[],
  make: (level: number, index: number) => Tile,
): Tile[] {
  return runs.flatMap(({ level, first, count }) =>
    Array.from({ length: count }, (_, at) => make(level, first + at)),
  );
}

/** What the kinds of events in some tiles are called, each in the place of its first event. */
export function namesOf(
  tiles: readonly LaneTile[],
  nameOf: (kind: number, events: TileEvents, at: number) => string,
): ToldLane['names'] {
  const names = new Map<number, string>();
  for (const { events } of tiles)
    events.kinds.forEach((kind, at) => {
      if (!names.has(kind)) names.set(kind, nameOf(kind, events, at));
    });
  return [...names];
}
