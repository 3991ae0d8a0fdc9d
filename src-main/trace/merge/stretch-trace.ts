import type { ColumnArray } from '../../shared/model/columns.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { columnSpecs, type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Table, Tables, Trace } from '../../shared/model/trace.ts';

/** A time of a trace, ns from its begin, by the clock that it was stretched to. Never turns the order of two around. */
type Stretch = (ns: number) => number;

/**
 * A trace whose clock went too fast or too slow by the same part all the time: `drift` ns are added to each ns since its
 * begin. What lay within another event still does, and what met still meets.
 */
export function stretchTrace(trace: Trace, drift: number): Trace {
  if (drift === 0) return trace;
  const moved: Stretch = (ns) => ns + Math.round(ns * drift);
  const life = <T extends { startNs?: number; endNs?: number }>(one: T): T => ({
    ...one,
    ...(one.startNs !== undefined && { startNs: moved(one.startNs) }),
    ...(one.endNs !== undefined && { endNs: moved(one.endNs) }),
  });
  const tables = tableNames.map((table) => [table, stretchTable(trace, table, moved, drift)]);
  return {
    ...trace,
    meta: { ...trace.meta, lengthNs: moved(trace.meta.lengthNs) },
    clocks: trace.clocks.map((clock) => ({
      ...clock,
      readings: clock.readings.map((one) => ({ ...one, startNs: moved(one.startNs) })),
    })),
    processes: trace.processes.map(life),
    threads: trace.threads.map(life),
    sourceFindings: trace.sourceFindings.map((finding) => ({
      ...finding,
      occurrences: finding.occurrences.map((one) => ({
        ...one,
        detectedNs: moved(one.detectedNs),
      })),
    })),
    tables: Object.fromEntries(tables) as Tables,
  };
}

function stretchTable(
  trace: Trace,
  table: TableName,
  moved: Stretch,
  drift: number,
): Table<TableName> {
  const own = columnsOf(trace, table);
  const startNs = own.startNs;
  const before = own.durationNs;
  const after =
    before &&
    startNs &&
    Float64Array.from(before, (ns, row) => moved(startNs[row] + ns) - moved(startNs[row]));
  const columns: Record<string, ColumnArray> = {};
  for (const [name, { unit, isMoment }] of columnSpecs(table)) {
    const cells = own[name];
    if (cells === undefined) continue;
    if (isMoment === true) columns[name] = Float64Array.from(cells, moved);
    else if (name === 'durationNs') columns[name] = after ?? cells;
    else if (unit === 'ns')
      columns[name] = Float64Array.from(cells, (ns, row) =>
        partOf(ns, drift, before?.[row], after?.[row]),
      );
    else columns[name] = cells;
  }
  return { ...trace.tables[table], columns: columns as never };
}

/** A length of time in an event that lasted `before`, and lasts `after` now: no more than that, where it was no more. */
function partOf(ns: number, drift: number, before = 0, after = 0): number {
  if (ns < 0) return ns;
  const longer = Math.floor(ns + ns * drift);
  return ns <= before ? Math.min(longer, after) : longer;
}
