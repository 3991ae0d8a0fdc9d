import type { LaneTile } from './lane-tile.ts';
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
