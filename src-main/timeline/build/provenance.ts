import type { TableName } from '../../shared/model/schema.ts';
import type { Provenance } from '../../shared/model/trace.ts';
import { formatRoundDuration } from '../../shared/text/units.ts';
import { provenanceBadge, provenanceWord } from '../../shared/words/provenance-words.ts';
import { eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { TraceData } from '../model/trace-data.ts';

interface TrackProvenance {
  readonly badge: string;
  readonly provenance: string;
  readonly recorded?: TimeWindow;
  readonly sampledEveryNs?: number;
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

/**
 * Stretches of time that a recorder without switches put together from looks at /proc. They are drawn
 * like those of switches, so their label says what they are.
 */
function joinedSamples(
  table: TableName,
  { kind, everyNs }: Provenance,
): { everyNs: number; badge: string } | undefined {
  if (kind !== 'sampled' || everyNs === undefined) return undefined;
  if (table !== 'off_cpu' && table !== 'on_cpu') return undefined;
  return { everyNs, badge: `sampled ${formatRoundDuration(everyNs)}` };
}

/** How complete a table is, in the words of a track's label; another tool's partial table ends with its rows. */
export function tableProvenance(data: TraceData, table: TableName): TrackProvenance {
  const known = data.summary.tables[table]?.provenance;
  if (known === undefined) return { badge: '', provenance: '' };
  // A Stalltrace file says where its recorder lost events (gap); partial are its tables otherwise.
  const isCutOff = known.kind === 'partial' && data.summary.format !== 'Stalltrace';
  const extent = isCutOff ? extentOf(data, table) : undefined;
  const fromSamples = joinedSamples(table, known);
  const word = provenanceWord(known);
  return {
    badge: known.kind === 'exact' ? '' : (fromSamples?.badge ?? provenanceBadge(known)),
    provenance: known.note === '' ? word : `${word}: ${known.note}`,
    ...(fromSamples && { sampledEveryNs: fromSamples.everyNs }),
    ...(extent === undefined ? {} : { recorded: extent }),
  };
}
