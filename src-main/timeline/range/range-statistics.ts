import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { type EventLane, firstEndingAt, firstStartingAt } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';

/** Events between two pauses. At about 20 ns each, a pause every 4 ms at most. */
const EVENTS_PER_STEP = 200_000;

/** The durations of the events of one name: there may be millions. */
class NameDurations {
  readonly colour: number;
  totalNs = 0;
  #durationsNs = new Float64Array(64);
  #count = 0;

  constructor(colour: number) {
    this.colour = colour;
  }

  add(durationNs: number, partNs: number): void {
    const at = this.#count++;
    if (at === this.#durationsNs.length) {
      const grown = new Float64Array(2 * at);
      grown.set(this.#durationsNs);
      this.#durationsNs = grown;
    }
    this.#durationsNs[at] = durationNs;
    this.totalNs += partNs;
  }

  get durationsNs(): Float64Array {
    return this.#durationsNs.subarray(0, this.#count);
  }
}

function summarize(name: string, { colour, durationsNs, totalNs }: NameDurations): NameStatistics {
  let maxNs = 0;
  for (const ns of durationsNs) if (ns > maxNs) maxNs = ns;
  const [p50Ns, p95Ns, p99Ns] = percentiles(durationsNs, [50, 95, 99]);
  return { name, colour, count: durationsNs.length, totalNs, p50Ns, p95Ns, p99Ns, maxNs };
}

/** A lane, and by what its events are told apart. */
export interface NamedLane {
  readonly lane: EventLane;
  readonly nameOf: (lane: EventLane, index: number) => string;
  /** A number of which all events have one name, where there is such: found sooner than a name. */
  readonly kindOf?: ((lane: EventLane, index: number) => number) | undefined;
}

/**
 * Statistics by name, largest sum first, of the events in `range`. Yields nothing now
 * and then, so that the caller can let the screen breathe or stop.
 */
export function* rangeStatistics(
  lanes: Iterable<NamedLane>,
  range: TimeWindow,
): Generator<undefined, NameStatistics[]> {
  const byName = new Map<string, NameDurations>();
  for (const named of lanes) {
    yield undefined;
    const entries = entriesOf(named, byName);
    const to = firstStartingAt(named.lane, range.endNs);
    for (let from = firstEndingAt(named.lane, range.startNs); from < to; from += EVENTS_PER_STEP) {
      addEvents(named.lane, from, Math.min(to, from + EVENTS_PER_STEP), range, entries);
      yield undefined;
    }
  }
  const statistics: NameStatistics[] = [];
  for (const [name, entry] of byName) {
    statistics.push(summarize(name, entry));
    yield undefined;
  }
  return statistics.sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
}

/** What the event of a lane is counted under. */
function entriesOf(
  { lane, nameOf, kindOf }: NamedLane,
  byName: Map<string, NameDurations>,
): (index: number) => NameDurations {
  const byEvent = (index: number) => {
    const name = nameOf(lane, index);
    const known = byName.get(name);
    if (known !== undefined) return known;
    const entry = new NameDurations(lane.colours[index]);
    byName.set(name, entry);
    return entry;
  };
  if (kindOf === undefined) return byEvent;
  const byKind = new Map<number, NameDurations>();
  return (index) => {
    const kind = kindOf(lane, index);
    const known = byKind.get(kind);
    if (known !== undefined) return known;
    const entry = byEvent(index);
    byKind.set(kind, entry);
    return entry;
  };
}

/** Counts the events with index in [from, to), as far as they are in `range`. */
function addEvents(
  { times }: EventLane,
  from: number,
  to: number,
  range: TimeWindow,
  entryOf: (index: number) => NameDurations,
): void {
  for (let index = from; index < to; index++) {
    const durationNs = times.durationNs(index);
    const part = nsInRange(times.startNs(index), durationNs, range);
    if (part >= 0) entryOf(index).add(durationNs, part);
  }
}
