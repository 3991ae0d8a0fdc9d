import { allocateColumns, type ColumnName } from '../../../src-main/shared/model/columns.ts';
import { columnSpecs, type TableName, tableNames } from '../../../src-main/shared/model/schema.ts';
import type { Table, Tables, Trace } from '../../../src-main/shared/model/trace.ts';

/** Rows of these refer to a life that ends: repeated, every process would be born again. */
const ONCE: ReadonlySet<TableName> = new Set(['process_event']);

function repeatTable<T extends TableName>(
  table: T,
  given: Table<T>,
  times: number,
  everyNs: number,
): Table<T> {
  if (given.rows === 0 || ONCE.has(table)) return given;
  const from = given.columns as unknown as Record<string, Float64Array>;
  const named = Object.keys(from) as ColumnName<T>[];
  const columns = allocateColumns(table, given.rows * times, named as never[]);
  const to = columns as unknown as Record<string, Float64Array>;
  for (const [name, { refersTo, isMoment }] of columnSpecs(table)) {
    const column = from[name];
    if (column === undefined || to[name] === undefined) continue;
    const isRow = refersTo === 'cuda_call' || refersTo === 'range';
    for (let copy = 0; copy < times; copy++)
      for (let row = 0; row < given.rows; row++) {
        const value = column[row] ?? 0;
        const shift =
          isMoment === true ? copy * everyNs : isRow && value >= 0 ? copy * given.rows : 0;
        to[name][copy * given.rows + row] = value + shift;
      }
  }
  return { ...given, rows: given.rows * times, columns };
}

/** `trace` run `times` times over, one after the other, by processes that live throughout. */
export function repeatTrace(trace: Trace, times: number): Trace {
  const everyNs = trace.meta.lengthNs;
  const tables = Object.fromEntries(
    tableNames.map((name) => [
      name,
      repeatTable(name, trace.tables[name] as never, times, everyNs),
    ]),
  ) as unknown as Tables;
  const ageless = <E extends { startNs?: number; endNs?: number }>({
    startNs: _startNs,
    endNs: _endNs,
    ...entity
  }: E) => entity;
  return {
    ...trace,
    meta: { ...trace.meta, lengthNs: everyNs * times },
    processes: trace.processes.map(ageless),
    threads: trace.threads.map(ageless),
    tables,
  };
}
