import type { NameStatistics } from '../../shared/answers/range-figures.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { type EventLane, firstEndingAt, firstStartingAt } from '../model/pyramid.ts';
import type { TimeWindow } from '../model/time-window.ts';

/** Events between two pauses. At about 20 ns each, a pause every 4 ms. */
const EVENTS_PER_STEP = 200_000;

interface NameDurations {
  readonly colour: number;
  readonly durations: number[];
  totalNs: number;
}

function summarize(name: string, { colour, durations, totalNs }: NameDurations): NameStatistics {
  const values = Float64Array.from(durations);
  let maxNs = 0;
  for (const value of values) if (value > maxNs) maxNs = value;
  const [p50Ns, p95Ns, p99Ns] = percentiles(values, [50, 95, 99]);
  return { name, colour, count: values.length, totalNs, p50Ns, p95Ns, p99Ns, maxNs };
}

/** A lane, and by what its events are told apart. */
export interface NamedLane {
  readonly lane: EventLane;
  readonly nameOf: (lane: EventLane, index: number) => string;
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
  let seen = 0;
  for (const { lane, nameOf } of lanes) {
    yield undefined;
    const to = firstStartingAt(lane, range.endNs);
    for (let index = firstEndingAt(lane, range.startNs); index < to; index++) {
      if (++seen % EVENTS_PER_STEP === 0) yield undefined;
      const part = nsInRange(lane.startNs[index], lane.durationNs[index], range);
      if (part < 0) continue;
      const name = nameOf(lane, index);
      let entry = byName.get(name);
      if (entry === undefined) {
        entry = { colour: lane.colours[index], durations: [], totalNs: 0 };
        byName.set(name, entry);
      }
      entry.durations.push(lane.durationNs[index]);
      entry.totalNs += part;
    }
  }
  const statistics: NameStatistics[] = [];
  for (const [name, entry] of byName) {
    statistics.push(summarize(name, entry));
    yield undefined;
  }
  return statistics.sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
}
