import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { formatDuration } from '../../../src-main/shared/units.ts';
import type { TimeWindow } from '../../lib/time-window.ts';
import type { TraceData } from '../trace-data.ts';
import { eventColumns, remember } from './event-source.ts';

interface TrackProvenance {
  readonly badge: string;
  readonly provenance: string;
  readonly recorded?: TimeWindow;
}

/** A recorder's interval without the zeros a measured duration would have: `60 s`. */
export const formatInterval = (ns: number): string => formatDuration(ns).replace(/\.0+ /, ' ');

function badgeOf(kind: string, everyNs: number | undefined): string {
  if (kind === 'exact') return '';
  const every = everyNs === undefined ? '' : ` ${formatInterval(everyNs)}`;
  return kind === 'aggregated' ? `aggregated per${every}` : `${kind}${every}`;
}

/** From the first to the last moment a table knows of. */
function extentOf(data: TraceData, table: TableName): TimeWindow | undefined {
  const columns = eventColumns(data.tables, table);
  if (columns === undefined || columns.startNs.length === 0) return undefined;
  return remember(columns, 'extent', () => {
    let startNs = Number.POSITIVE_INFINITY;
    let endNs = 0;
    for (let row = 0; row < columns.startNs.length; row++) {
      const start = columns.startNs[row];
      startNs = Math.min(startNs, start);
      endNs = Math.max(endNs, start + Math.max(0, columns.durationNs?.[row] ?? 0));
    }
    return { startNs, endNs };
  });
}

/** How complete a table is, in the words of a track's label; a partial table ends with its rows. */
export function tableProvenance(data: TraceData, table: TableName): TrackProvenance {
  const known = data.summary.tables[table]?.provenance;
  if (known === undefined) return { badge: '', provenance: '' };
  const extent = known.kind === 'partial' ? extentOf(data, table) : undefined;
  return {
    badge: badgeOf(known.kind, known.everyNs),
    provenance: known.note,
    ...(extent === undefined ? {} : { recorded: extent }),
  };
}
