import { lowerBound } from '../../shared/numbers/bisect.ts';
import type { Samples } from '../model/track-model.ts';
import { BUCKETS, bucketNsOf, tileNsOf } from './lane-tile.ts';

/** One stretch of a sampled value, at one scale: all its samples, or the lowest and the highest of each bucket. */
export interface LineTile {
  readonly level: number;
  readonly index: number;
  readonly isExact: boolean;
  /** In order of time; with the sample before the stretch and the one behind it. */
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
}

/** The tile `index` of a level, of samples whose times never fall. */
export function makeLineTile({ timesNs, values }: Samples, level: number, index: number): LineTile {
  const startNs = index * tileNsOf(level);
  const from = Math.max(0, lowerBound(timesNs, startNs) - 1);
  const to = Math.min(timesNs.length, lowerBound(timesNs, startNs + tileNsOf(level)) + 1);
  if (to - from <= 2 * BUCKETS) {
    const isExact = true;
    return {
      level,
      index,
      isExact,
      timesNs: timesNs.slice(from, to),
      values: values.slice(from, to),
    };
  }
  const kept: number[] = [];
  for (let begin = from; begin < to; ) {
    const bucket = Math.floor((timesNs[begin] - startNs) / bucketNsOf(level));
    let end = begin + 1;
    let lowest = begin;
    let highest = begin;
    for (; end < to && Math.floor((timesNs[end] - startNs) / bucketNsOf(level)) === bucket; end++) {
      if (values[end] < values[lowest]) lowest = end;
      if (values[end] > values[highest]) highest = end;
    }
    kept.push(...new Set([Math.min(lowest, highest), Math.max(lowest, highest)]));
    begin = end;
  }
  return {
    ...{ level, index, isExact: false },
    timesNs: Float64Array.from(kept, (at) => timesNs[at]),
    values: Float64Array.from(kept, (at) => values[at]),
  };
}

/** The samples of tiles, each once, in order of time. */
export function joinLineTiles(tiles: readonly (LineTile | undefined)[]): Samples {
  const distinct = [...new Set(tiles.filter((tile) => tile !== undefined))];
  const points = distinct.flatMap(({ timesNs, values }) =>
    Array.from(timesNs, (timeNs, at) => [timeNs, values[at]] as const),
  );
  points.sort(([a], [b]) => a - b);
  const kept = points.filter(
    ([timeNs, value], at) => timeNs !== points[at - 1]?.[0] || value !== points[at - 1]?.[1],
  );
  return {
    timesNs: Float64Array.from(kept, ([timeNs]) => timeNs),
    values: Float64Array.from(kept, ([, value]) => value),
  };
}
