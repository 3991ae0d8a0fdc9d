import type { DatabaseSync } from 'node:sqlite';
import { cleanText } from '../../../shared/text/text.ts';
import { columnNames, columnOr, integer, readRows, textColumn } from '../../sqlite/read-table.ts';
import { addEvents, type Recording } from './add-events.ts';
import { type Nodes, nodeColumn } from './nodes.ts';
import { MAX_DISTANCE_NS } from './raw-events.ts';

const MAX_LABEL_CHARACTERS = 8192;

/** A row of `annotations` (0.17 and later): a label somebody put on the run from outside. */
interface RawLabel {
  startNs: number;
  readonly durationNs: number;
  /** 0 = the whole trace. */
  readonly pid: number;
  /** Which of the machines it is of, where the labels say it. */
  readonly node?: number;
  readonly label: string;
}

export interface RawLabels {
  readonly rows: readonly RawLabel[];
  readonly skipped: number;
}

export function readLabels(
  database: DatabaseSync,
  baseUnixNs: bigint,
  nodes: Nodes | undefined,
): RawLabels {
  const columns = columnNames(database, 'annotations');
  if (!columns.has('timestamp')) return { rows: [], skipped: 0 };
  const sql = `SELECT timestamp, ${columnOr(columns, 'span_start', '0')},
    ${columnOr(columns, 'span_end', '0')}, ${columnOr(columns, 'pid', '0')},
    ${textColumn(columns, 'labels', MAX_LABEL_CHARACTERS)}, ${nodeColumn(columns)} FROM annotations`;
  const isNodeTold = nodes !== undefined && columns.has('node');
  const rows: RawLabel[] = [];
  let skipped = 0;
  for (const [timestamp, spanStart, spanEnd, pid, labels, node] of readRows(database, sql)) {
    // A span has both ends; without them the annotation is the moment it was made.
    const isSpan = typeof spanStart === 'bigint' && spanStart > 0n && typeof spanEnd === 'bigint';
    const start = isSpan ? spanStart : timestamp;
    const durationNs = isSpan ? Number(spanEnd - spanStart) : 0;
    const startNs = typeof start === 'bigint' ? Number(start - baseUnixNs) : Number.NaN;
    const valid = Math.abs(startNs) <= MAX_DISTANCE_NS && durationNs >= 0;
    if (valid && durationNs <= MAX_DISTANCE_NS)
      rows.push({
        ...{ startNs, durationNs, pid: integer(pid) ?? 0, label: labelText(labels) },
        ...(isNodeTold && { node: nodes.indexOf(node) }),
      });
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
 * Adds the `range` table: labels, and events of a kind the model has no table for. Of an unknown
 * source the time stamp is taken for the start, as Ingero does for all probes of a library.
 */
export function addRanges(recording: Recording, chosen: Uint32Array, labels: RawLabels): void {
  const { trace, ops, events } = recording;
  const rows = addEvents(recording, 'range', chosen, [], (columns, at, row) => {
    columns.category[at] = trace.names.add(ops.sourceName(events.source[row]));
  });
  for (const { startNs, durationNs, pid, label } of labels.rows) {
    const at = rows.add();
    rows.columns.startNs[at] = startNs;
    rows.columns.durationNs[at] = durationNs;
    if (pid > 0) rows.columns.thread[at] = trace.threads.positionOf(pid);
    rows.columns.op[at] = trace.names.add(label, 'annotations');
    rows.columns.category[at] = trace.names.add('annotations');
  }
}
