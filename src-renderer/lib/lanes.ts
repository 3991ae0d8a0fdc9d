import { buildLane, type EventLane, type LaneEvents } from './pyramid.ts';

/** Deepest nesting drawn on a line of its own; what is deeper shares the last line. */
export const MAX_LANES = 6;

/**
 * The lane of each event, so that events of a lane don't overlap: the first lane that is free when
 * the event starts. Properly nested events land by their depth. Beyond `maxLanes` events share the
 * last lane. Events are sorted by start, longer first where starts are equal.
 */
export function assignLanes(
  startNs: Float64Array,
  durationNs: Float64Array,
  maxLanes = MAX_LANES,
): { lanes: Uint8Array; laneCount: number } {
  const lanes = new Uint8Array(startNs.length);
  const freeAtNs: number[] = [];
  for (let index = 0; index < startNs.length; index++) {
    const start = startNs[index] as number;
    const end = start + (durationNs[index] as number);
    let lane = 0;
    while (lane < freeAtNs.length && (freeAtNs[lane] as number) > start) lane++;
    lane = Math.min(lane, maxLanes - 1);
    freeAtNs[lane] = Math.max(freeAtNs[lane] ?? 0, end);
    lanes[index] = lane;
  }
  return { lanes, laneCount: Math.max(1, freeAtNs.length) };
}

/** The events for which `keep` holds, as columns of their own. */
export function filterEvents(events: LaneEvents, keep: (index: number) => boolean): LaneEvents {
  const kept: number[] = [];
  for (let index = 0; index < events.startNs.length; index++) if (keep(index)) kept.push(index);
  const pick = (from: ArrayLike<number>) => (_: unknown, at: number) =>
    from[kept[at] as number] as number;
  return {
    startNs: Float64Array.from(kept, pick(events.startNs)),
    durationNs: Float64Array.from(kept, pick(events.durationNs)),
    rows: Uint32Array.from(kept, pick(events.rows)),
    colours: Uint8Array.from(kept, pick(events.colours)),
  };
}

/** Splits events into lanes without overlaps, the cap aside. */
export function splitLanes(events: LaneEvents, maxLanes = MAX_LANES): EventLane[] {
  const { lanes, laneCount } = assignLanes(events.startNs, events.durationNs, maxLanes);
  if (laneCount === 1) return [buildLane(events)];
  return Array.from({ length: laneCount }, (_, lane) =>
    buildLane(filterEvents(events, (index) => lanes[index] === lane)),
  );
}
