import type { Provenance } from '../../shared/model/trace.ts';
import { formatCount, plural } from '../../shared/units.ts';
import type { RawAggregate } from './aggregates.ts';
import { type EventTable, tableOf } from './classify.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { NameTable } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/**
 * How much of what happened is in the file as single events. Ingero stores a selection, prunes old
 * rows, and keeps complete counts beside them; comparing the two says which it was.
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

const MINUTE_NS = 60e9;
const MAX_NAMED_THREADS = 8;

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
  aggregates: readonly RawAggregate[],
  names: NameTable,
): Completeness {
  const tables = new Map<EventTable, Counts>();
  const switchesByThread = new Map<number, Counts>();
  const countsOf = <K>(map: Map<K, Counts>, key: K): Counts => {
    const counts = map.get(key) ?? { stored: 0, counted: 0 };
    map.set(key, counts);
    return counts;
  };
  for (let row = 0; row < events.rows; row++) {
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    countsOf(tables, tableOf(source, op, names.isKnown(source, op))).stored++;
    if (isSwitch(source, op)) countsOf(switchesByThread, events.tid[row] as number).stored++;
  }
  for (const { source, op, pid, count } of aggregates) {
    countsOf(tables, tableOf(source, op, names.isKnown(source, op))).counted += count;
    if (isSwitch(source, op)) countsOf(switchesByThread, pid).counted += count;
  }
  const of = (table: EventTable) => countsOf(tables, table);
  return {
    of,
    provenance(table) {
      const provenance = provenanceOf(table, of(table), aggregates.length > 0);
      if (table !== 'off_cpu' || provenance.kind !== 'partial') return provenance;
      return { ...provenance, note: `${provenance.note} ${describeThreads(switchesByThread)}` };
    },
  };
}

const isSwitch = (source: number, op: number) =>
  source === SOURCE.host && op === HOST_OP.schedSwitch;

function provenanceOf(table: EventTable, counts: Counts, hasSums: boolean): Provenance {
  const { stored, counted } = counts;
  const [one, many] = nouns[table];
  if (stored === 0 && counted === 0)
    return { kind: 'absent', note: `This Ingero file has no ${many}, single or counted.` };
  if (stored === 0) {
    const note = `Ingero kept ${formatCount(counted)} ${many} as sums per minute and process only.`;
    return { kind: 'aggregated', everyNs: MINUTE_NS, note };
  }
  if (!hasSums) {
    const note = `${plural(stored, one, many)} stored; the file does not say how many were left out.`;
    return { kind: 'partial', note };
  }
  if (stored === counted)
    return {
      kind: 'exact',
      note: `All ${formatCount(counted)} ${many} Ingero counted are stored.`,
    };
  const figures = `${formatCount(stored)} ${many} are stored, ${formatCount(counted)} were counted`;
  const reason =
    stored < counted
      ? 'Ingero stores a selection and prunes it.'
      : 'its sums do not cover the whole recording.';
  return { kind: 'partial', note: `${figures}: ${reason}` };
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
