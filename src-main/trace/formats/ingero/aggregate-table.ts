import { allocateColumns, type Columns, reorderColumns } from '../../../shared/model/columns.ts';
import type { NameBuilder } from '../../build/names.ts';
import type { RawAggregate } from './aggregates.ts';
import { sortByStart } from './classify.ts';
import type { Entities } from './entities.ts';
import { bytesPerArg0, HOST_OP, hasDuration, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
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
 * The `aggregate` table. Buckets keep the begin and length Ingero gave them (whole minutes), so
 * the first starts before the trace: its sums cannot be cut.
 */
export function buildAggregates(
  aggregates: readonly RawAggregate[],
  names: NameBuilder,
  ops: OpNames,
  entities: Entities,
): Columns<'aggregate'> {
  const optional = ['stored', 'totalNs', 'minNs', 'maxNs', 'bytes'] as const;
  const columns = allocateColumns('aggregate', aggregates.length, optional) as Required<
    Columns<'aggregate'>
  >;
  for (const [at, aggregate] of aggregates.entries()) {
    const { source, op } = aggregate;
    const isTimed = hasDuration(source, op);
    const isSummary = source === SOURCE.host && op === HOST_OP.pageAllocSummary;
    const unit = isSummary ? 1 : bytesPerArg0(source, op);
    columns.startNs[at] = aggregate.startNs;
    columns.durationNs[at] = aggregate.lengthNs;
    columns.thread[at] = entities.threadOf(aggregate.pid);
    columns.source[at] = names.add(ops.sourceName(source));
    columns.op[at] = ops.op(source, op);
    columns.count[at] = aggregate.count;
    columns.stored[at] = aggregate.stored;
    columns.totalNs[at] = aggregate.totalNs;
    columns.minNs[at] = isTimed ? aggregate.minNs : -1;
    columns.maxNs[at] = isTimed ? aggregate.maxNs : -1;
    columns.bytes[at] = unit > 0 && aggregate.sumArg0 >= 0 ? aggregate.sumArg0 * unit : -1;
  }
  const order = Uint32Array.from(aggregates, (_, row) => row);
  sortByStart(order, columns.startNs, columns.durationNs);
  return reorderColumns('aggregate', columns, order);
}
