import type { EventTimes } from './event-times.ts';
import {
  buildLane,
  type EventLane,
  type LaneEvents,
  type OwnEvents,
  ownEvents,
} from './pyramid.ts';
import { NO_ROW } from './track-model.ts';

/** Deepest nesting drawn on a line of its own; what is deeper shares the last line. */
const MAX_LANES = 6;

/**
 * The lane of each event, so that events of a lane don't overlap: the first lane that is free when
 * the event starts. Properly nested events land by their depth. Beyond `maxLanes` events share the
 * last lane. Events are sorted by start, longer first where starts are equal.
 */
export function assignLanes(
  times: EventTimes,
  maxLanes = MAX_LANES,
): { lanes: Uint8Array; laneCount: number } {
  const lanes = new Uint8Array(times.length);
  const freeAtNs: number[] = [];
  for (let index = 0; index < times.length; index++) {
    const start = times.startNs(index);
    const end = start + times.durationNs(index);
    let lane = 0;
    while (lane < freeAtNs.length && freeAtNs[lane] > start) lane++;
    lane = Math.min(lane, maxLanes - 1);
    freeAtNs[lane] = Math.max(freeAtNs[lane] ?? 0, end);
    lanes[index] = lane;
  }
  return { lanes, laneCount: Math.max(1, freeAtNs.length) };
}

export function emptyEvents(length: number): OwnEvents {
  return {
    startNs: new Float64Array(length),
    durationNs: new Float64Array(length),
    rows: new Uint32Array(length),
    colours: new Uint8Array(length),
  };
}

/** Events dealt out to `count` lists by `lanes`; order is kept. */
function dealEvents(events: LaneEvents, lanes: Uint8Array, count: number): LaneEvents[] {
  const lengths = new Uint32Array(count);
  for (const lane of lanes) lengths[lane] = lengths[lane] + 1;
  const lists = Array.from(lengths, (length) => new Uint32Array(length));
  const filled = new Uint32Array(count);
  for (let index = 0; index < lanes.length; index++)
    lists[lanes[index]][filled[lanes[index]]++] = index;
  return lists.map((indexes) => pickEvents(events, indexes));
}

/** The events for which `keep` holds and those for which it does not, as columns of their own. */
export function partitionEvents(
  events: LaneEvents,
  keep: (index: number) => boolean,
): [kept: LaneEvents, others: LaneEvents] {
  const lanes = new Uint8Array(events.times.length);
  for (let index = 0; index < lanes.length; index++) lanes[index] = keep(index) ? 0 : 1;
  const [kept, others] = dealEvents(events, lanes, 2);
  return [kept ?? ownEvents(emptyEvents(0)), others ?? ownEvents(emptyEvents(0))];
}

/** The events at `indexes`, in their order, as columns of their own. */
export function pickEvents(
  events: Pick<EventLane, 'times' | 'rows' | 'colours'>,
  indexes: readonly number[] | Uint32Array | Int32Array,
): LaneEvents {
  const rows = new Uint32Array(indexes.length);
  const colours = new Uint8Array(indexes.length);
  for (let at = 0; at < indexes.length; at++) {
    rows[at] = events.rows.at(indexes[at]) ?? NO_ROW;
    colours[at] = events.colours[indexes[at]];
  }
  return { times: events.times.picked(indexes, rows), rows, colours };
}

/** Events in order of start; those of one start as they come. */
export function inOrderOfStart(events: LaneEvents): LaneEvents {
  const { times } = events;
  let at = 1;
  while (at < times.length && times.startNs(at) >= times.startNs(at - 1)) at++;
  if (at >= times.length) return events;
  const order = Uint32Array.from({ length: times.length }, (_, index) => index);
  return pickEvents(
    events,
    order.sort((a, b) => times.startNs(a) - times.startNs(b) || a - b),
  );
}

/** Several lists of events as one, in order of start. */
export function joinEvents(lists: readonly LaneEvents[]): LaneEvents {
  const [first] = lists;
  if (first !== undefined && lists.length === 1) return first;
  const all = emptyEvents(lists.reduce((sum, { rows }) => sum + rows.length, 0));
  let offset = 0;
  for (const { times, rows, colours } of lists) {
    for (let at = 0; at < times.length; at++) {
      all.startNs[offset + at] = times.startNs(at);
      all.durationNs[offset + at] = times.durationNs(at);
    }
    all.rows.set(rows, offset);
    all.colours.set(colours, offset);
    offset += rows.length;
  }
  return inOrderOfStart(ownEvents(all));
}

/** Splits events into lanes without overlaps, the cap aside; `whole`: the lane of all, where they need one only. */
export function splitLanes(
  events: LaneEvents,
  whole = () => buildLane(events),
  maxLanes = MAX_LANES,
): EventLane[] {
  const { lanes, laneCount } = assignLanes(events.times, maxLanes);
  if (laneCount === 1) return [whole()];
  return dealEvents(events, lanes, laneCount).map(buildLane);
}
