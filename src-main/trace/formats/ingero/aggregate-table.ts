import type { Recording } from './add-events.ts';
import type { RawAggregate } from './aggregates.ts';
import { bytesPerArg0, HOST_OP, hasDuration, SOURCE } from './op-codes.ts';
import type { RawEvents } from './raw-events.ts';

/** The summary events of 0.9.2 and later as sums: they carry a count and a total as arguments. */
export function summariesOf(events: RawEvents, order: Uint32Array): RawAggregate[] {
  return Array.from(order, (row) => {
    const op = events.op[row] as number;
    const isSwitches = op === HOST_OP.switchSummary;
    const total = events.arg1[row] as number;
    return {
      startNs: events.startNs[row] as number,
      lengthNs: events.durationNs[row] as number,
      source: SOURCE.host,
      op,
      pid: events.pid[row] as number,
      count: Math.max(0, events.arg0[row] as number),
      stored: -1,
      totalNs: isSwitches ? Math.max(0, total) : 0,
      minNs: -1,
      maxNs: -1,
      sumArg0: isSwitches ? -1 : total,
    };
  });
}

/**
 * Adds the `aggregate` table. Buckets keep the begin and length Ingero gave them (whole minutes), so
 * the first starts before the trace: its sums cannot be cut.
 */
export function addAggregates(
  { trace, ops }: Recording,
  aggregates: readonly RawAggregate[],
): void {
  const rows = trace.rows('aggregate', {
    optional: ['stored', 'totalNs', 'minNs', 'maxNs', 'bytes'],
    expected: aggregates.length,
  });
  const { columns } = rows;
  for (const aggregate of aggregates) {
    const { source, op } = aggregate;
    const at = rows.add();
    const isTimed = hasDuration(source, op);
    const isSummary = source === SOURCE.host && op === HOST_OP.pageAllocSummary;
    const unit = isSummary ? 1 : bytesPerArg0(source, op);
    columns.startNs[at] = aggregate.startNs;
    columns.durationNs[at] = aggregate.lengthNs;
    columns.thread[at] = trace.threads.positionOf(aggregate.pid);
    columns.source[at] = trace.names.add(ops.sourceName(source));
    columns.op[at] = ops.op(source, op);
    columns.count[at] = aggregate.count;
    columns.stored[at] = aggregate.stored;
    columns.totalNs[at] = aggregate.totalNs;
    columns.minNs[at] = isTimed ? aggregate.minNs : -1;
    columns.maxNs[at] = isTimed ? aggregate.maxNs : -1;
    columns.bytes[at] = unit > 0 && aggregate.sumArg0 >= 0 ? aggregate.sumArg0 * unit : -1;
  }
}
