/**
 * Figures of the events of one name that are at least partly in a range, in ns. Percentiles are nearest
 * rank and, as the maximum, of whole events.
 */
export interface NameStatistics {
  readonly name: string;
  readonly colour: number;
  readonly count: number;
  /** Of their parts in the range; nested events count for themselves. */
  readonly totalNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
}

/** By what the events of a range are told apart. A state is the name of an event of a track of states. */
export const rangeKeys = ['name', 'thread', 'process', 'track'] as const;
export type RangeKey = (typeof rangeKeys)[number];

/** Calls of one name that happened in a range and are not in the file. */
export interface Unstored {
  /** By the recorder's sums over stretches that lie in the range. */
  readonly inside: number;
  /** Some more are in sums over stretches that reach beyond it: how many of them inside is not known. */
  readonly isMore: boolean;
}

/** What a range holds. */
export interface RangeFigures {
  /** The largest sum first; told apart by two keys, a name is the two joined by `pivotKey`. */
  readonly statistics: readonly NameStatistics[];
  /** By the name of a call. */
  readonly unstored: readonly (readonly [name: string, unstored: Unstored])[];
}

/** No name holds it: they are cleaned. */
const BETWEEN = '\n';

export const pivotKey = (row: string, column: string): string => `${row}${BETWEEN}${column}`;

/** What `pivotKey` joined. */
export function splitPivotKey(name: string): { readonly row: string; readonly column: string } {
  const [row = '', column = ''] = name.split(BETWEEN);
  return { row, column };
}
