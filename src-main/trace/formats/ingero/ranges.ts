import type { DatabaseSync } from 'node:sqlite';
import { allocateColumns, type Columns, reorderColumns } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { cleanText } from '../../../shared/text/text.ts';
import type { NameBuilder } from '../../build/names.ts';
import { columnNames, columnOr, integer, readRows, textColumn } from '../../sqlite/read-table.ts';
import { sortByStart } from './classify.ts';
import type { Entities } from './entities.ts';
import type { OpNames } from './op-names.ts';
import { MAX_DISTANCE_NS, type RawEvents } from './raw-events.ts';

const MAX_LABEL_CHARACTERS = 8192;

/** A row of `annotations` (0.17 and later): a label somebody put on the run from outside. */
interface RawLabel {
  startNs: number;
  readonly durationNs: number;
  /** 0 = the whole trace. */
  readonly pid: number;
  readonly label: string;
}

export interface RawLabels {
  readonly rows: readonly RawLabel[];
  readonly skipped: number;
}

export function readLabels(database: DatabaseSync, baseUnixNs: bigint): RawLabels {
  const columns = columnNames(database, 'annotations');
  if (!columns.has('timestamp')) return { rows: [], skipped: 0 };
  const sql = `SELECT timestamp, ${columnOr(columns, 'span_start', '0')},
    ${columnOr(columns, 'span_end', '0')}, ${columnOr(columns, 'pid', '0')},
    ${textColumn(columns, 'labels', MAX_LABEL_CHARACTERS)} FROM annotations`;
  const rows: RawLabel[] = [];
  let skipped = 0;
  for (const [timestamp, spanStart, spanEnd, pid, labels] of readRows(database, sql)) {
    // A span has both ends; without them the annotation is the moment it was made.
    const isSpan = typeof spanStart === 'bigint' && spanStart > 0n && typeof spanEnd === 'bigint';
    const start = isSpan ? spanStart : timestamp;
    const durationNs = isSpan ? Number(spanEnd - spanStart) : 0;
    const startNs = typeof start === 'bigint' ? Number(start - baseUnixNs) : Number.NaN;
    const valid = Math.abs(startNs) <= MAX_DISTANCE_NS && durationNs >= 0;
    if (valid && durationNs <= MAX_DISTANCE_NS)
      rows.push({ startNs, durationNs, pid: integer(pid) ?? 0, label: labelText(labels) });
    else skipped++;
  }
  return { rows, skipped };
}

/** `{"step":"12","epoch":"1"}` as `step=12, epoch=1`. */
function labelText(json: unknown): string {
  const source = typeof json === 'string' ? json : '';
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return cleanText(
        Object.entries(value)
          .map(([key, word]) => `${key}=${String(word)}`)
          .join(', '),
      );
  } catch {
    // Not JSON, or cut: shown as it is.
  }
  return cleanText(source);
}

/**
 * The `range` table: labels, and events of a kind the model has no table for. Of an unknown
 * source the time stamp is taken for the start, as Ingero does for all probes of a library.
 */
export function buildRanges(
  events: RawEvents,
  order: Uint32Array,
  labels: RawLabels,
  names: NameBuilder,
  ops: OpNames,
  entities: Entities,
): Columns<'range'> {
  const rows = order.length + labels.rows.length;
  const unsorted = allocateColumns('range', rows);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    const source = events.source[row] as number;
    unsorted.startNs[at] = events.startNs[row] as number;
    unsorted.durationNs[at] = events.durationNs[row] as number;
    unsorted.thread[at] = entities.threadOf(events.tid[row] as number);
    unsorted.op[at] = ops.op(source, events.op[row] as number);
    unsorted.category[at] = names.add(ops.sourceName(source));
  }
  for (const [index, { startNs, durationNs, pid, label }] of labels.rows.entries()) {
    const at = order.length + index;
    unsorted.startNs[at] = startNs;
    unsorted.durationNs[at] = durationNs;
    unsorted.thread[at] = pid > 0 ? entities.threadOf(pid) : NONE;
    unsorted.op[at] = names.add(label, 'annotations');
    unsorted.category[at] = names.add('annotations');
  }
  return sorted(unsorted);
}

function sorted(columns: Columns<'range'>): Columns<'range'> {
  const order = Uint32Array.from(columns.startNs, (_, row) => row);
  sortByStart(order, columns.startNs, columns.durationNs);
  return reorderColumns('range', columns, order);
}
