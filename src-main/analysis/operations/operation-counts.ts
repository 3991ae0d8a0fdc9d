import type { OperationStats } from '../../shared/answers/operations.ts';
import type { Trace } from '../../shared/model/trace.ts';

const keyOf = (source: string, name: string) => `${source}\n${name}`;

/**
 * `stats` with, where the recorder counted more events of an operation than are stored, both
 * numbers on every row of it. The recorder's sums know no direction and no size.
 */
export function withCounted(trace: Trace, stats: readonly OperationStats[]): OperationStats[] {
  const countedByKey = countedEvents(trace);
  const storedByKey = new Map<string, number>();
  for (const { source, name, count } of stats) {
    const key = keyOf(source, name);
    storedByKey.set(key, (storedByKey.get(key) ?? 0) + count);
  }
  return stats.map((entry) => {
    const key = keyOf(entry.source, entry.name);
    const counted = countedByKey.get(key) ?? 0;
    const stored = storedByKey.get(key) ?? 0;
    return counted > stored ? { ...entry, counted: { stored, counted } } : entry;
  });
}

/** Events in the recorder's own sums, by source and name. */
function countedEvents(trace: Trace): Map<string, number> {
  const { op, count } = trace.tables.aggregate.columns;
  const byName = new Float64Array(trace.names.length);
  for (let row = 0; row < op.length; row++) byName[op[row]] += Math.max(0, count[row]);
  const byKey = new Map<string, number>();
  byName.forEach((events, name) => {
    if (events === 0) return;
    const key = keyOf(trace.nameSources[name], trace.names[name]);
    byKey.set(key, (byKey.get(key) ?? 0) + events);
  });
  return byKey;
}
