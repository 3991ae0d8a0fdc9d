import type { Provenance } from '../../../shared/model/trace.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import type { RawAggregates } from './aggregates.ts';
import { allBucketsEqual } from './bucket-counts.ts';
import { type EventTable, tableOf } from './classify.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { NameTable } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/**
 * How much of what happened is in the file as single events. Ingero stores a selection, prunes old
 * rows, and keeps counts beside them; comparing the two says which it was.
 */
export interface Completeness {
  /** Single events of a table, and how many Ingero counted; 0 where it kept no sums. */
  of(table: EventTable): { readonly stored: number; readonly counted: number };
  provenance(table: EventTable): Provenance;
}

interface Counts {
  stored: number;
  counted: number;
}

/** Everything that is compared. */
interface Recorded {
  readonly events: RawEvents;
  readonly aggregates: RawAggregates;
  readonly names: NameTable;
  readonly counts: ReadonlyMap<EventTable, Counts>;
  readonly switchesByThread: ReadonlyMap<number, Counts>;
  /** Single events that Ingero wrote as summaries (0.9.2 and later), by the table they are missing in. */
  readonly summarised: ReadonlyMap<EventTable, number>;
}

const MINUTE_NS = 60e9;
const MAX_NAMED_THREADS = 8;

/**
 * Ingero counts no event that it lost on the way, so that equal counts do not prove that all are
 * there. Of these tables more is read out of what is missing than out of what is there.
 */
const neverExact: ReadonlySet<EventTable> = new Set(['off_cpu', 'wakeup']);

const summaryTables: ReadonlyMap<number, EventTable> = new Map([
  [HOST_OP.switchSummary, 'off_cpu'],
  [HOST_OP.pageAllocSummary, 'page_alloc'],
]);

const nouns: Readonly<Record<EventTable, readonly [one: string, many: string]>> = {
  cuda_call: ['CUDA call', 'CUDA calls'],
  off_cpu: ['switch', 'switches'],
  wakeup: ['wake-up', 'wake-ups'],
  page_alloc: ['page allocation', 'page allocations'],
  block_io: ['block request', 'block requests'],
  syscall: ['socket call', 'socket calls'],
  process_event: ['process event', 'process events'],
  annotation: ['event', 'events'],
  aggregate: ['sum', 'sums'],
};

export function measureCompleteness(
  events: RawEvents,
  aggregates: RawAggregates,
  names: NameTable,
): Completeness {
  const recorded = countAll(events, aggregates, names);
  const of = (table: EventTable) => recorded.counts.get(table) ?? { stored: 0, counted: 0 };
  return {
    of,
    provenance(table) {
      const provenance = provenanceOf(recorded, table, of(table));
      if (table !== 'off_cpu' || provenance.kind !== 'partial') return provenance;
      const byThread = describeThreads(recorded.switchesByThread);
      return { ...provenance, note: `${provenance.note} ${byThread}` };
    },
  };
}

function countAll(events: RawEvents, aggregates: RawAggregates, names: NameTable): Recorded {
  const counts = new Map<EventTable, Counts>();
  const switchesByThread = new Map<number, Counts>();
  const summarised = new Map<EventTable, number>();
  for (let row = 0; row < events.rows; row++) {
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    countsOf(counts, tableOf(source, op, names.isKnown(source, op))).stored++;
    if (isSwitch(source, op)) countsOf(switchesByThread, events.tid[row] as number).stored++;
    const table = source === SOURCE.host ? summaryTables.get(op) : undefined;
    if (table !== undefined)
      summarised.set(table, (summarised.get(table) ?? 0) + Math.max(0, events.arg0[row] as number));
  }
  for (const { source, op, pid, count } of aggregates.rows) {
    countsOf(counts, tableOf(source, op, names.isKnown(source, op))).counted += count;
    if (isSwitch(source, op)) countsOf(switchesByThread, pid).counted += count;
  }
  return { events, aggregates, names, counts, switchesByThread, summarised };
}

function countsOf<K>(map: Map<K, Counts>, key: K): Counts {
  const counts = map.get(key) ?? { stored: 0, counted: 0 };
  map.set(key, counts);
  return counts;
}

const isSwitch = (source: number, op: number) =>
  source === SOURCE.host && op === HOST_OP.schedSwitch;

function provenanceOf(recorded: Recorded, table: EventTable, counts: Counts): Provenance {
  const { stored, counted } = counts;
  const [one, many] = nouns[table];
  if (stored === 0 && counted === 0)
    return { kind: 'absent', note: `This Ingero file has no ${many}, single or counted.` };
  if (stored === 0) {
    const note = `Ingero kept ${formatCount(counted)} ${many} as sums per minute and process only.`;
    return { kind: 'aggregated', everyNs: MINUTE_NS, note };
  }
  if (recorded.aggregates.rows.length === 0) {
    const note = `${plural(stored, one, many)} stored; the file does not say how many were left out.`;
    return { kind: 'partial', note };
  }
  const doubt = doubtOf(recorded, table, counts);
  if (doubt !== undefined) {
    const figures = `${formatCount(stored)} ${many} are stored, ${formatCount(counted)} were counted`;
    return { kind: 'partial', note: `${figures}: ${doubt}` };
  }
  const note = `All ${formatCount(counted)} ${many} Ingero counted are stored${table === 'off_cpu' ? ', in every thread and time bucket' : ''}`;
  return neverExact.has(table)
    ? { kind: 'partial', note: `${note}; it does not record whether it lost any.` }
    : { kind: 'exact', note: `${note}.` };
}

/** Why not everything that Ingero counted can be taken to be stored. */
function doubtOf(recorded: Recorded, table: EventTable, counts: Counts): string | undefined {
  const { events, aggregates, names } = recorded;
  const [one, many] = nouns[table];
  const summarised = recorded.summarised.get(table) ?? 0;
  if (counts.stored < counts.counted) return 'Ingero stores a selection and prunes it.';
  if (counts.stored > counts.counted) return 'its sums do not cover the whole recording.';
  if (summarised > 0)
    return `${plural(summarised, one, many)} more ${summarised === 1 ? 'is' : 'are'} in its summaries.`;
  if (aggregates.skipped > 0) return 'some of its sums are damaged.';
  const isOfTable = (source: number, op: number) =>
    tableOf(source, op, names.isKnown(source, op)) === table;
  return allBucketsEqual(events, aggregates.rows, isOfTable)
    ? undefined
    : 'the numbers differ for single threads or time buckets.';
}

function describeThreads(threads: ReadonlyMap<number, Counts>): string {
  const sorted = [...threads].sort(([, a], [, b]) => b.stored - a.stored || b.counted - a.counted);
  const words = sorted
    .slice(0, MAX_NAMED_THREADS)
    .map(([tid, { stored, counted }]) =>
      stored > counted
        ? `TID ${tid} ${formatCount(stored)} (${formatCount(counted)} counted)`
        : `TID ${tid} ${formatCount(stored)} of ${formatCount(counted)}`,
    );
  const rest = sorted.length - words.length;
  return `By thread: ${words.join(', ')}${rest > 0 ? `, and ${plural(rest, 'more thread')}` : ''}.`;
}
