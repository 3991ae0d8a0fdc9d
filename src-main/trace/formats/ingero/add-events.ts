import type { OptionalColumn } from '../../../shared/model/columns.ts';
import type { RowBuilder } from '../../build/rows.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { EventTable } from './classify.ts';
import type { OpNames } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/** What was read, and the trace it becomes. */
export interface Recording {
  readonly trace: TraceBuilder;
  readonly ops: OpNames;
  readonly events: RawEvents;
}

/**
 * Adds a row to `table` for each of the events that `chosen` names: its start and thread and, where the
 * table has them, its duration and operation. `addMore` writes the rest into `columns` at `at`, of the
 * event that is `row` of `events`.
 */
export function addEvents<T extends EventTable, Optional extends OptionalColumn<T> = never>(
  { trace, ops, events }: Recording,
  table: T,
  chosen: Uint32Array,
  optional: readonly Optional[] = [],
  addMore?: (columns: RowBuilder<T, Optional>['columns'], at: number, row: number) => void,
): RowBuilder<T, Optional> {
  const rows = trace.rows(table, { optional, expected: chosen.length });
  const { startNs, durationNs, thread, op } = rows.columns as unknown as EventColumns;
  for (const row of chosen) {
    const at = rows.add();
    startNs[at] = events.startNs[row];
    thread[at] = trace.threads.positionOf(events.tid[row]);
    if (durationNs !== undefined) durationNs[at] = events.durationNs[row];
    if (op !== undefined) op[at] = ops.op(events.source[row], events.op[row]);
    addMore?.(rows.columns, at, row);
  }
  return rows;
}

interface EventColumns {
  readonly startNs: Float64Array;
  readonly thread: Int32Array;
  readonly durationNs?: Float64Array;
  readonly op?: Uint32Array;
}
