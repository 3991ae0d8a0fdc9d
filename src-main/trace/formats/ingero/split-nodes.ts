import type { RawAggregate } from './aggregates.ts';
import { emptyEvents, type RawEvents } from './raw-events.ts';
import { SEVERAL, type SeenOn } from './seen-on.ts';
import { shareSums } from './share-sums.ts';
import type { Timed } from './time-range.ts';

/** What was read, of each machine by itself. */
interface Split {
  /** By machine; the last is of what names none. */
  readonly parts: Timed[];
  /** Sums that may be of any of several machines: they are in no part. */
  readonly unclear: readonly RawAggregate[];
}

/** Sorts what was read of `count` machines by the machine it is of. */
export function splitByNode(timed: Timed, count: number, seenOn: SeenOn): Split {
  const events = splitEvents(timed.events, count);
  const unnamed = count - 1;
  const nodeOf = ({ node, pid }: Pick<RawAggregate, 'node' | 'pid'>) => node ?? seenOn(pid);
  const of = <T>(rows: readonly T[], place: (row: T) => number) => {
    const lists: T[][] = Array.from({ length: count }, () => []);
    for (const row of rows) lists[place(row)]?.push(row);
    return lists;
  };
  const shared = timed.aggregates.filter((row) => nodeOf(row) === SEVERAL);
  const { own, unclear } = shareSums(shared, timed.events);
  const clear = timed.aggregates.filter((row) => nodeOf(row) !== SEVERAL);
  const aggregates = of([...clear, ...own], nodeOf);
  const snapshots = of(timed.snapshots.rows, ({ node }) => node ?? unnamed);
  const labels = of(timed.labels.rows, (row) => {
    // Without a process they are of the whole recording.
    const node = row.node ?? (row.pid > 0 ? seenOn(row.pid) : unnamed);
    return node === SEVERAL ? unnamed : node;
  });
  return {
    parts: events.map((part, node) => ({
      events: part,
      aggregates: aggregates[node],
      snapshots: { rows: snapshots[node], skipped: 0 },
      labels: { rows: labels[node], skipped: 0 },
    })),
    unclear,
  };
}

const eventColumns = [
  ...(['startNs', 'durationNs', 'pid', 'tid', 'source', 'op'] as const),
  ...(['arg0', 'arg1', 'returnCode', 'stack'] as const),
];

function splitEvents(events: RawEvents, count: number): RawEvents[] {
  const sizes = new Uint32Array(count);
  for (let row = 0; row < events.rows; row++) sizes[events.node[row]]++;
  const rowsOf = Array.from(sizes, (size) => new Uint32Array(size));
  const filled = new Uint32Array(count);
  for (let row = 0; row < events.rows; row++) {
    const node = events.node[row];
    rowsOf[node][filled[node]++] = row;
  }
  return rowsOf.map((rows) => {
    const part = { ...emptyEvents(events.baseUnixNs, rows.length, false), rows: rows.length };
    for (const column of eventColumns) gather(part[column], events[column], rows);
    return part;
  });
}

function gather(to: Cells, from: ArrayLike<number>, rows: Uint32Array): void {
  for (let at = 0; at < rows.length; at++) to[at] = from[rows[at]];
}

interface Cells {
  [row: number]: number;
}
