import {
  type NameStatistics,
  type RangeKey,
  splitPivotKey,
} from '../../../src-main/shared/answers/range-figures.ts';

/** A table of two ways to tell the events of a range apart. */
export interface PivotKind {
  readonly id: string;
  readonly label: string;
  /** Of which tracks of the range. */
  readonly of: 'events' | 'states';
  readonly rows: RangeKey;
  readonly columns: RangeKey;
}

export const pivotKinds: readonly PivotKind[] = [
  { id: 'thread-state', label: 'Threads × states', of: 'states', rows: 'thread', columns: 'name' },
  {
    ...{ id: 'process-state', label: 'Processes × states' },
    ...{ of: 'states', rows: 'process', columns: 'name' },
  },
  { id: 'name-thread', label: 'Names × threads', of: 'events', rows: 'name', columns: 'thread' },
  {
    id: 'name-process',
    label: 'Names × processes',
    of: 'events',
    rows: 'name',
    columns: 'process',
  },
  { id: 'name-track', label: 'Names × tracks', of: 'events', rows: 'name', columns: 'track' },
  { id: 'thread-track', label: 'Threads × tracks', of: 'events', rows: 'thread', columns: 'track' },
];

/** Figures of the events in one row and one column. */
export interface PivotCell {
  readonly count: number;
  /** Of their parts in the range, ns. */
  readonly totalNs: number;
  /** Of whole events, ns. */
  readonly maxNs: number;
}

export interface Pivot {
  /** The largest sum first. */
  readonly columns: readonly string[];
  /** The largest sum first; a cell is undefined where there is no event. */
  readonly rows: readonly {
    readonly name: string;
    readonly cells: readonly (PivotCell | undefined)[];
    readonly total: PivotCell;
  }[];
  readonly totals: readonly PivotCell[];
  readonly total: PivotCell;
}

/** More columns are one. */
const MOST_COLUMNS = 12;

/** The statistics of events under pivotKey as a table. */
export function pivotOf(statistics: readonly NameStatistics[]): Pivot {
  const entries = statistics.map((cell) => {
    return { ...splitPivotKey(cell.name), cell };
  });
  const byColumn = sumBy(entries, ({ column }) => column);
  const shown = [...byColumn.keys()].slice(0, MOST_COLUMNS);
  const rest = byColumn.size - shown.length;
  const columns = rest > 0 ? [...shown, `${rest} others`] : shown;
  const placeOf = ({ column }: Entry) => {
    const at = shown.indexOf(column);
    return at < 0 ? shown.length : at;
  };
  const ofRow = Map.groupBy(entries, ({ row }) => row);
  const rows = [...sumBy(entries, ({ row }) => row)].map(([name, total]) => {
    const own = sumBy(ofRow.get(name) ?? [], placeOf);
    return { name, cells: columns.map((_, at) => own.get(at)), total };
  });
  const sums = sumBy(entries, placeOf);
  return {
    columns,
    rows,
    totals: columns.map((_, at) => sums.get(at) ?? NOTHING),
    total: [...byColumn.values()].reduce(added, NOTHING),
  };
}

interface Entry {
  readonly row: string;
  readonly column: string;
  readonly cell: PivotCell;
}

const NOTHING: PivotCell = { count: 0, totalNs: 0, maxNs: 0 };

function added(one: PivotCell, other: PivotCell): PivotCell {
  return {
    count: one.count + other.count,
    totalNs: one.totalNs + other.totalNs,
    maxNs: Math.max(one.maxNs, other.maxNs),
  };
}

/** Largest sum first. */
function sumBy<Key>(entries: readonly Entry[], keyOf: (entry: Entry) => Key): Map<Key, PivotCell> {
  const sums = new Map<Key, PivotCell>();
  for (const entry of entries) {
    const key = keyOf(entry);
    sums.set(key, added(sums.get(key) ?? NOTHING, entry.cell));
  }
  return new Map([...sums].sort(([, a], [, b]) => b.totalNs - a.totalNs || b.count - a.count));
}
