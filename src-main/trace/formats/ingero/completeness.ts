import { happened } from '../../../shared/model/happened.ts';
import type { Provenance } from '../../../shared/model/trace.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { tableWords } from '../../../shared/words/table-words.ts';
import type { RawAggregate, RawAggregates } from './aggregates.ts';
import { allBucketsEqual, sumKey, summedBy } from './bucket-counts.ts';
import { type EventTable, tableOf } from './classify.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/**
 * How much of what happened is in the file as single events. Ingero stores a selection, prunes old
 * rows, and keeps counts beside them; comparing the two says which it was.
 */
export interface Completeness {
  /** Single events of a table, and how many there were as far as the file knows. */
  of(table: EventTable): { readonly stored: number; readonly happened: number };
  provenance(table: EventTable): Provenance;
}

interface Counts {
  /** Single events in the file. */
  stored: number;
  /** In Ingero's sums. */
  counted: number;
  /** The counted ones and those that are stored without being counted (happened.ts). */
  happened: number;
}

/** Events of one operation of one process or thread. */
interface Tally {
  readonly source: number;
  readonly op: number;
  readonly id: number;
  rows: number;
  counted: number;
  /** Of the counted, how many Ingero says it wrote; -1 = some sum does not say. */
  written: number;
}

/** Everything that is compared. */
interface Recorded {
  readonly events: RawEvents;
  readonly aggregates: RawAggregates;
  readonly names: OpNames;
  readonly counts: ReadonlyMap<EventTable, Counts>;
  readonly switchesByThread: ReadonlyMap<number, Counts>;
  /** Counted events of which nobody knows whether they are of this machine. */
  readonly unclear: ReadonlyMap<EventTable, number>;
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
  ...tableWords,
  off_cpu: ['switch', 'switches'],
  syscall: ['socket call', 'socket calls'],
  range: ['event', 'events'],
};

export function measureCompleteness(
  events: RawEvents,
  aggregates: RawAggregates,
  names: OpNames,
): Completeness {
  const recorded = countAll(events, aggregates, names);
  const of = (table: EventTable) => recorded.counts.get(table) ?? noCounts();
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

const noCounts = (): Counts => ({ stored: 0, counted: 0, happened: 0 });

function countAll(events: RawEvents, aggregates: RawAggregates, names: OpNames): Recorded {
  const counts = new Map<EventTable, Counts>();
  const switchesByThread = new Map<number, Counts>();
  for (const tally of tallyAll(events, aggregates).values()) {
    const { source, op, id } = tally;
    addTo(counts, tableOf(source, op, names.isKnown(source, op)), tally);
    if (isSwitch(source, op)) addTo(switchesByThread, id, tally);
  }
  const summarised = countSummarised(events);
  const unclear = countsByTable(aggregates.unclear ?? [], names);
  return { events, aggregates, names, counts, switchesByThread, unclear, summarised };
}

/** How many events of each table `sums` count. */
export function countsByTable(
  sums: readonly RawAggregate[],
  names: OpNames,
): ReadonlyMap<EventTable, number> {
  const counts = new Map<EventTable, number>();
  for (const { source, op, count } of sums) {
    const table = tableOf(source, op, names.isKnown(source, op));
    counts.set(table, (counts.get(table) ?? 0) + count);
  }
  return counts;
}

/** Ingero sums switches by thread, everything else by process. */
function tallyAll(events: RawEvents, aggregates: RawAggregates): Map<number, Tally> {
  const tallies = new Map<number, Tally>();
  const tallyOf = (source: number, op: number, id: number) => {
    const key = sumKey(source, op, id);
    const known = tallies.get(key) ?? { source, op, id, rows: 0, counted: 0, written: 0 };
    tallies.set(key, known);
    return known;
  };
  for (let row = 0; row < events.rows; row++) {
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    tallyOf(source, op, summedBy(events, row)).rows++;
  }
  for (const { source, op, pid, count, stored } of aggregates.rows) {
    const tally = tallyOf(source, op, pid);
    tally.counted += count;
    tally.written = stored < 0 || tally.written < 0 ? -1 : tally.written + stored;
  }
  return tallies;
}

function addTo<K>(map: Map<K, Counts>, key: K, { rows, counted, written }: Tally): void {
  const counts = map.get(key) ?? noCounts();
  map.set(key, counts);
  counts.stored += rows;
  counts.counted += counted;
  counts.happened += happened(counted, written, rows);
}

const isSwitch = (source: number, op: number) =>
  source === SOURCE.host && op === HOST_OP.schedSwitch;

function countSummarised(events: RawEvents): Map<EventTable, number> {
  const summarised = new Map<EventTable, number>();
  for (let row = 0; row < events.rows; row++) {
    const isHost = events.source[row] === SOURCE.host;
    const table = isHost ? summaryTables.get(events.op[row] as number) : undefined;
    if (table !== undefined)
      summarised.set(table, (summarised.get(table) ?? 0) + Math.max(0, events.arg0[row] as number));
  }
  return summarised;
}

function provenanceOf(recorded: Recorded, table: EventTable, counts: Counts): Provenance {
  const { stored, counted } = counts;
  const [one, many] = nouns[table];
  if (stored === 0 && counted === 0)
    return { kind: 'absent', note: `This Ingero file has no ${many}, single or counted.` };
  if (stored === 0) {
    const note = `Ingero kept ${plural(counted, one, many)} as sums per minute and process only.`;
    return { kind: 'aggregated', everyNs: MINUTE_NS, note };
  }
  const isUnclear = (recorded.unclear.get(table) ?? 0) > 0;
  // Of a machine's own sums too few may be known, so that they prove nothing either.
  if ((isUnclear && counts.happened === stored) || recorded.aggregates.rows.length === 0) {
    const why = isUnclear
      ? 'the file counts them for several machines together: how many of one machine were left out is not known'
      : 'the file does not say how many were left out';
    const note = `${plural(stored, one, many)} stored; ${why}.`;
    return { kind: 'partial', note };
  }
  const doubt = doubtOf(recorded, table, counts);
  if (doubt !== undefined) {
    return { kind: 'partial', note: `${figuresOf(counts, one, many)}: ${doubt}` };
  }
  const all =
    counted === 1
      ? `The only ${one} Ingero counted is stored`
      : `All ${formatCount(counted)} ${many} Ingero counted are stored`;
  const note = `${all}${table === 'off_cpu' ? ', in every thread and time bucket' : ''}`;
  return neverExact.has(table)
    ? { kind: 'partial', note: `${note}; it does not record whether it lost any.` }
    : { kind: 'exact', note: `${note}.` };
}

function figuresOf({ stored, counted, happened: all }: Counts, one: string, many: string): string {
  const are = plural(stored, `${one} is`, `${many} are`);
  return all > stored
    ? `${are} stored of ${formatCount(all)} that happened`
    : `${are} stored, ${formatCount(counted)} ${counted === 1 ? 'was' : 'were'} counted`;
}

/** Why not everything that Ingero counted can be taken to be stored. */
function doubtOf(recorded: Recorded, table: EventTable, counts: Counts): string | undefined {
  const { events, aggregates, names } = recorded;
  const [one, many] = nouns[table];
  const summarised = recorded.summarised.get(table) ?? 0;
  if (counts.stored < counts.happened) return 'Ingero stores a selection and prunes it.';
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
  const sorted = [...threads].sort(
    ([, a], [, b]) => b.stored - a.stored || b.happened - a.happened,
  );
  const words = sorted.slice(0, MAX_NAMED_THREADS).map(
    ([tid, { stored, counted, happened: all }]) =>
      // Of what is stored alone the whole is not known.
      `TID ${tid} ${formatCount(stored)}${counted > 0 ? ` of ${formatCount(all)}` : ''}`,
  );
  const rest = sorted.length - words.length;
  return `By thread: ${words.join(', ')}${rest > 0 ? `, and ${plural(rest, 'more thread')}` : ''}.`;
}
