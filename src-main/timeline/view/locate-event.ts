import type { SavedEvent } from '../../shared/library/saved-event.ts';
import type { EventRef } from '../../shared/model/event-ref.ts';
import { eventColumns } from '../model/event-source.ts';
import { type EventLane, firstStartingAt, openAt } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import {
  type EventTrack,
  isEventTrack,
  NO_ROW,
  showsThread,
  type Track,
} from '../model/track-model.ts';

/** One event on the timeline. */
export interface EventHit {
  readonly track: EventTrack;
  readonly lane: EventLane;
  readonly index: number;
  /** On which line it is drawn where its track shows all of them: 0 unless it is said. */
  readonly line?: number;
}

/** An event as a row of its track's table; nothing for one that is worked out. */
export function refOf({ track, lane, index }: EventHit): EventRef | undefined {
  const row = lane.rows.at(index) ?? NO_ROW;
  return track.table === undefined || row === NO_ROW ? undefined : { table: track.table, row };
}

/** What a track shows at a moment, if anything. */
export function eventAround(track: Track, ns: number): EventHit | undefined {
  if (!isEventTrack(track)) return undefined;
  for (const lane of [track.summary(), track.ground?.()]) {
    const index = lane === undefined ? -1 : openAt(lane, ns, firstStartingAt(lane, ns));
    if (lane !== undefined && index >= 0) return { track, lane, index };
  }
  return undefined;
}

function findInLane(data: TraceData, lane: EventLane, ref: EventRef): number {
  const startNs = eventColumns(data.tables, ref.table)?.startNs[ref.row];
  if (startNs === undefined) return -1;
  let index = firstStartingAt(lane, startNs);
  while (index < lane.length && lane.times.startNs(index) === startNs) {
    if (lane.rows.at(index) === ref.row) return index;
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
    if (track.thread !== undefined && !showsThread(track, thread ?? -1)) continue;
    const candidates = [track.summary(), ...(track.expandable ? track.lanes() : [])];
    for (const lane of candidates) {
      const index = findInLane(data, lane, ref);
      if (index >= 0) return { track, lane, index };
    }
  }
  return undefined;
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
