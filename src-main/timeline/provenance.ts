import type { TableName } from '../shared/model/schema.ts';
import { provenanceBadge, provenanceWord } from '../shared/provenance-words.ts';
import { eventColumns, remember } from './event-source.ts';
import type { TimeWindow } from './time-window.ts';
import type { TraceData } from './trace-data.ts';

interface TrackProvenance {
  readonly badge: string;
  readonly provenance: string;
  readonly recorded?: TimeWindow;
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
  const word = provenanceWord(known);
  return {
    badge: known.kind === 'exact' ? '' : provenanceBadge(known),
    provenance: known.note === '' ? word : `${word}: ${known.note}`,
    ...(extent === undefined ? {} : { recorded: extent }),
  };
}
