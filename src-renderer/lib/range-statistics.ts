import { percentiles } from '../../src-main/shared/percentile.ts';
import { type EventLane, firstStartingAt } from '../../src-main/timeline/pyramid.ts';
import type { TimeWindow } from '../../src-main/timeline/time-window.ts';

/** Figures of the events of one name that start in a range. Percentiles are nearest rank, all in ns. */
export interface NameStatistics {
  readonly name: string;
  readonly colour: number;
  readonly count: number;
  readonly totalNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
}

/** Events between two pauses. At about 20 ns each, a pause every 4 ms. */
const EVENTS_PER_STEP = 200_000;

interface NameDurations {
  readonly colour: number;
  readonly durations: number[];
}

function summarize(name: string, { colour, durations }: NameDurations): NameStatistics {
  const values = Float64Array.from(durations);
  let totalNs = 0;
  let maxNs = 0;
  for (const value of values) {
    totalNs += value;
    if (value > maxNs) maxNs = value;
  }
  const [p50Ns, p95Ns, p99Ns] = percentiles(values, [50, 95, 99]);
  return { name, colour, count: values.length, totalNs, p50Ns, p95Ns, p99Ns, maxNs };
}

/**
 * Statistics by name, largest sum first, of the events that start in `range`. Yields nothing now
 * and then, so that the caller can let the screen breathe or stop.
 */
export function* rangeStatistics(
  lanes: readonly EventLane[],
  range: TimeWindow,
  nameOf: (lane: EventLane, index: number) => string,
): Generator<undefined, NameStatistics[]> {
  const byName = new Map<string, NameDurations>();
  let seen = 0;
  for (const lane of lanes) {
    const to = firstStartingAt(lane, range.endNs);
    for (let index = firstStartingAt(lane, range.startNs); index < to; index++) {
      const name = nameOf(lane, index);
      let entry = byName.get(name);
      if (entry === undefined) {
        entry = { colour: lane.colours[index], durations: [] };
        byName.set(name, entry);
      }
      entry.durations.push(lane.durationNs[index]);
      if (++seen % EVENTS_PER_STEP === 0) yield undefined;
    }
  }
  const statistics: NameStatistics[] = [];
  for (const [name, entry] of byName) {
    statistics.push(summarize(name, entry));
    yield undefined;
  }
  return statistics.sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
}
