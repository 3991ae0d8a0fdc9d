import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
/** Events of many lanes in one table. */
export interface EventsOfLanes {
  readonly startNs: Float64Array;
  readonly durationNs: NumberArray;
  /** The lane of each, from 0 on; any other number is none. */
  readonly laneOf: IntegerArray;
  /** The events in ascending order of start; absent: they stand so. */
  readonly order?: Uint32Array | undefined;
}

/** How much of each stretch of time a lane was busy. */
interface CoarseLane {
  readonly lane: number;
  readonly busyNs: Float64Array;
}

/** How many events each of `lanes` lanes has. */
export function countByLane({ laneOf }: Pick<EventsOfLanes, 'laneOf'>, lanes: number): Uint32Array {
  const counts = new Uint32Array(lanes);
  for (const lane of laneOf) if (lane >= 0 && lane < lanes) counts[lane]++;
  return counts;
}

/**
 * Of each of `lanes`, how much of each of `stretches` parts of [0, lengthNs) its events fill, overlaps counted
 * once. One pass: an event costs a step for each part that it is the first to fill.
 */
export function coarseLanes(
  { startNs, durationNs, laneOf, order }: EventsOfLanes,
  lanes: readonly number[],
  lengthNs: number,
  stretches: number,
): CoarseLane[] {
  const stretchNs = lengthNs / stretches;
  const found = lanes.map((lane) => ({ lane, busyNs: new Float64Array(stretches) }));
  const placeOf = new Map(lanes.map((lane, place) => [lane, place]));
  const latestNs = new Float64Array(lanes.length);
  let place: number | undefined;
  let lastLane = Number.NaN;
  for (let index = 0; index < startNs.length; index++) {
    const event = order === undefined ? index : order[index];
    if (laneOf[event] !== lastLane) {
      lastLane = laneOf[event];
      place = placeOf.get(lastLane);
    }
    if (place === undefined) continue;
    const end = Math.min(lengthNs, startNs[event] + durationNs[event]);
    const from = Math.max(startNs[event], latestNs[place]);
    if (end <= from) continue;
    latestNs[place] = end;
    fill(found[place].busyNs, from, end, stretchNs);
  }
  return found;
}

function fill(busyNs: Float64Array, from: number, end: number, stretchNs: number): void {
  for (let at = Math.floor(from / stretchNs); at < busyNs.length; at++) {
    const begin = at * stretchNs;
    if (begin >= end) return;
    busyNs[at] += Math.max(0, Math.min(end, begin + stretchNs) - Math.max(from, begin));
  }
}
