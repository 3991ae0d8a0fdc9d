import type { TableSummary, TraceSummary } from '../../shared/answers/summary.ts';
import { columnSpecs, type TableName, tableNames } from '../../shared/model/schema.ts';

/** A summary whose tables have the given rows, every column of them present. */
export function fakeSummary(
  rows: Partial<Record<TableName, number>>,
  changes: Partial<TraceSummary> = {},
): TraceSummary {
  const tables = Object.fromEntries(
    tableNames.map((table): [TableName, TableSummary] => [
      table,
      {
        rows: rows[table] ?? 0,
        columns: columnSpecs(table).map(([name]) => name),
        provenance: { kind: rows[table] === undefined ? 'absent' : 'exact', note: '' },
        columnProvenance: {},
      },
    ]),
  ) as Record<TableName, TableSummary>;
  return {
    format: 'Ingero',
    version: '0.10',
    beginUnixNs: '1771782065123456789',
    lengthNs: 1e9,
    hosts: [{}],
    cpus: [],
    gpus: [],
    processes: [],
    threads: [],
    names: [],
    nameSources: [],
    streams: [],
    gpuWork: { counts: { unknown: 0, kernel: 0, copy: 0, fill: 0, graph: 0 }, readable: {} },
    hasSummedCalls: false,
    coverage: [],
    gpuBusy: [],
    capabilities: [],
    sourceFindings: [],
    notices: [],
    ...changes,
    tables,
  };
}
