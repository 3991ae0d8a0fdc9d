import type { NumberArray } from '../../shared/model/columns.ts';
import { formatCount } from '../../shared/text/units.ts';
import { provenanceBadge, provenanceWord } from '../../shared/words/provenance-words.ts';
import { nameColour } from '../model/colours.ts';
import { type EventColumns, eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import type { BucketTrack } from '../model/track-model.ts';

interface AggregateColumns extends EventColumns {
  readonly count: NumberArray;
  readonly stored?: NumberArray;
}

/** Kernel events in the words of the tracks that show them one by one. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['mm_page_alloc', 'Page allocations'],
  ['sched_switch', 'Context switches'],
  ['sched_wakeup', 'Wake-ups'],
  ['net_send', 'Network sends'],
  ['net_recv', 'Network receives'],
]);

interface Counted {
  readonly op: number;
  readonly rows: number[];
  count: number;
  stored: number;
}

/** Rows of `aggregate` by process, then operation. Process -1 stands for the machine. */
function countedByProcess(
  data: TraceData,
  columns: AggregateColumns,
): Map<number, Map<number, Counted>> {
  const byProcess = new Map<number, Map<number, Counted>>();
  for (let row = 0; row < columns.startNs.length; row++) {
    const process = data.summary.threads[columns.thread?.[row] ?? -1]?.process ?? -1;
    const op = columns.op?.[row] ?? -1;
    const ops = byProcess.get(process) ?? new Map<number, Counted>();
    byProcess.set(process, ops);
    const counted = ops.get(op) ?? { op, rows: [], count: 0, stored: 0 };
    ops.set(op, counted);
    counted.rows.push(row);
    counted.count += columns.count[row] ?? 0;
    counted.stored += Math.max(0, columns.stored?.[row] ?? 0);
  }
  return byProcess;
}

interface Bucket {
  readonly startNs: number;
  readonly durationNs: number;
  count: number;
}

/** Rows of one bucket, of several threads, added up; in order of start. */
function sumBuckets(columns: AggregateColumns, rows: readonly number[]): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (const row of rows) {
    const startNs = columns.startNs[row] ?? 0;
    const durationNs = Math.max(0, columns.durationNs?.[row] ?? 0);
    const bucket = buckets.get(startNs) ?? { startNs, durationNs, count: 0 };
    buckets.set(startNs, bucket);
    bucket.count += columns.count[row] ?? 0;
  }
  return [...buckets.values()].sort((a, b) => a.startNs - b.startNs);
}

function bucketTrack(
  columns: AggregateColumns,
  names: TraceNames,
  counted: Counted,
  process: number,
  detail: string,
): BucketTrack {
  const buckets = sumBuckets(columns, counted.rows);
  const startNs = Float64Array.from(buckets, (bucket) => bucket.startNs);
  const durationNs = Float64Array.from(buckets, (bucket) => bucket.durationNs);
  const counts = Float64Array.from(buckets, (bucket) => bucket.count);
  const bucketNs = buckets[0]?.durationNs ?? 0;
  const known = { kind: 'aggregated', everyNs: bucketNs } as const;
  const kept = `${formatCount(counted.stored)} of ${formatCount(counted.count)}`;
  const op = names.name(counted.op);
  return {
    id: `aggregate:${process}:${counted.op}`,
    kind: 'buckets',
    label: PLAIN_NAMES.get(op) ?? op,
    detail,
    table: 'aggregate',
    op,
    colour: nameColour(op),
    badge: provenanceBadge(known),
    provenance: `${op}, counted by the recorder, ${provenanceWord(known)}; ${kept} kept as single events.`,
    buckets: () => ({ startNs, durationNs, counts }),
    highest: counts.reduce((most, count) => Math.max(most, count), 1),
    bucketNs,
  };
}

/** What of several processes was counted, by operation. */
function countedOf(
  byProcess: ReadonlyMap<number, ReadonlyMap<number, Counted>>,
  processes: readonly number[],
): Counted[] {
  const ops = new Map<number, Counted>();
  for (const process of processes)
    for (const counted of byProcess.get(process)?.values() ?? []) {
      const sum = ops.get(counted.op) ?? { op: counted.op, rows: [], count: 0, stored: 0 };
      ops.set(counted.op, sum);
      for (const row of counted.rows) sum.rows.push(row);
      sum.count += counted.count;
      sum.stored += counted.stored;
    }
  return [...ops.values()];
}

/** A track per operation of which the source kept counts instead of every event; of one process, or of several together. */
export function aggregateTracks(
  data: TraceData,
  names: TraceNames,
  processes: readonly [number, ...number[]],
  detail: string,
): BucketTrack[] {
  const [process] = processes;
  const columns = eventColumns(data.tables, 'aggregate') as AggregateColumns | undefined;
  if (columns?.count === undefined) return [];
  const pid = data.summary.processes[process]?.pid;
  const byProcess = remember(columns, 'by process', () => countedByProcess(data, columns));
  return countedOf(byProcess, processes)
    .filter((counted) => counted.count > counted.stored)
    .sort((a, b) => b.count - a.count)
    .map((counted) => ({
      ...bucketTrack(columns, names, counted, process, detail),
      ...(pid === undefined ? {} : { pid }),
    }));
}
