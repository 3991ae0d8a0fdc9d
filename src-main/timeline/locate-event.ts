import type { TableName } from '../shared/model/schema.ts';
import type { SavedEvent } from '../shared/saved-event.ts';
import { eventColumns } from './event-source.ts';
import { type EventLane, firstStartingAt } from './pyramid.ts';
import type { TraceData } from './trace-data.ts';
import { type EventTrack, isEventTrack, type Track } from './track-model.ts';

/** One event: a row of a table. */
export interface EventRef {
  readonly table: TableName;
  readonly row: number;
}

/** One event on the timeline. */
export interface EventHit {
  readonly track: EventTrack;
  readonly lane: EventLane;
  readonly index: number;
}

function findInLane(data: TraceData, lane: EventLane, ref: EventRef): number {
  const startNs = eventColumns(data.tables, ref.table)?.startNs[ref.row];
  if (startNs === undefined) return -1;
  let index = firstStartingAt(lane, startNs);
  while (index < lane.length && lane.startNs[index] === startNs) {
    if (lane.rows[index] === ref.row) return index;
    index++;
  }
  return -1;
}

/** Where an event is drawn, on its summary line or, for a nested one, on a line below. */
export function locateEvent(
  data: TraceData,
  tracks: readonly Track[],
  ref: EventRef,
): EventHit | undefined {
  const thread = eventColumns(data.tables, ref.table)?.thread?.[ref.row];
  for (const track of tracks) {
    if (!isEventTrack(track) || track.table !== ref.table) continue;
    if (track.thread !== undefined && track.thread !== (thread ?? -1)) continue;
    const candidates = [track.summary(), ...(track.expandable ? track.lanes() : [])];
    for (const lane of candidates) {
      const index = findInLane(data, lane, ref);
      if (index >= 0) return { track, lane, index };
    }
  }
  return undefined;
}

/** Whether the table of a saved event is there, or will never be. */
export function isLoaded(data: TraceData, { table }: SavedEvent): boolean {
  return eventColumns(data.tables, table) !== undefined || data.summary.tables[table].rows === 0;
}

/**
 * The row of a saved event, looked for by its time where another importer numbered the rows
 * differently; nothing where the trace does not have it any more.
 */
export function rowOfSaved(data: TraceData, saved: SavedEvent): number | undefined {
  const columns = eventColumns(data.tables, saved.table);
  if (columns === undefined) return undefined;
  const { startNs, durationNs } = columns;
  const isSame = (row: number) =>
    startNs[row] === saved.startNs && Math.max(0, durationNs?.[row] ?? 0) === saved.durationNs;
  if (isSame(saved.row)) return saved.row;
  const row = startNs.findIndex((_, at) => isSame(at));
  return row < 0 ? undefined : row;
}
