import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import { eventColumns } from '../../../src-main/timeline/model/event-source.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { NO_ROW } from '../../../src-main/timeline/model/track-model.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';

const MAX_LABEL_LENGTH = 300;

/** A window in whole ns, as a saved view keeps it. */
export const savedWindow = ({ startNs, endNs }: TimeWindow): TimeWindow => ({
  startNs: Math.max(0, Math.floor(startNs)),
  endNs: Math.max(0, Math.ceil(endNs)),
});

/** An event as a note or a saved view keeps it; nothing for one that is no row of a table. */
export function savedEventOf(data: TraceData, hit: EventHit | undefined): SavedEvent | undefined {
  const table = hit?.track.table;
  const row = hit?.lane.rows[hit.index] ?? NO_ROW;
  if (hit === undefined || table === undefined || row === NO_ROW) return undefined;
  const columns = eventColumns(data.tables, table);
  return {
    table,
    row,
    startNs: Math.max(0, columns?.startNs[row] ?? 0),
    durationNs: Math.max(0, columns?.durationNs?.[row] ?? 0),
    label: hit.track.nameOf(hit.lane, hit.index).slice(0, MAX_LABEL_LENGTH),
  };
}
