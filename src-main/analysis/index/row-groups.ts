import type { NumberArray } from '../../shared/model/columns.ts';
/** Rows of a table put into groups of equal key, without an object per row. */
export interface RowGroups {
  /** Group of each row. */
  readonly groupOf: Uint32Array;
  /** Rows of each group. */
  readonly counts: readonly number[];
  /** First row of each group. */
  readonly firstRows: readonly number[];
}

/** Groups `rows` rows by `keyOf`, numbered in order of first appearance. */
export function groupRows(rows: number, keyOf: (row: number) => number): RowGroups {
  const groups = new Map<number, number>();
  const groupOf = new Uint32Array(rows);
  const counts: number[] = [];
  const firstRows: number[] = [];
  let lastKey = Number.NaN;
  let group = 0;
  for (let row = 0; row < rows; row++) {
    const key = keyOf(row);
    if (key !== lastKey) {
      lastKey = key;
      group = groups.get(key) ?? groups.size;
      if (group === groups.size) {
        groups.set(key, group);
        counts.push(0);
        firstRows.push(row);
      }
    }
    counts[group]++;
    groupOf[row] = group;
  }
  return { groupOf, counts, firstRows };
}

/** The values of each group in row order, one array per group over one allocation. */
export function gatherGroups(groups: RowGroups, values: NumberArray): Float64Array[] {
  const all = new Float64Array(values.length);
  const next: number[] = [];
  const parts: Float64Array[] = [];
  let offset = 0;
  for (const count of groups.counts) {
    next.push(offset);
    parts.push(all.subarray(offset, offset + count));
    offset += count;
  }
  for (let row = 0; row < values.length; row++) all[next[groups.groupOf[row]]++] = values[row];
  return parts;
}
