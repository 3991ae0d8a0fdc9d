import type { OpenedTrace } from '../../src-main/shared/contract.ts';
import { columnSpecs, type TableName, tableNames } from '../../src-main/shared/model/schema.ts';
import type { TableSummary, TraceSummary } from '../../src-main/shared/summary.ts';
import { fakeInvestigation } from './fake-api.ts';

export const TRACE_ID = '11111111-1111-4111-8111-111111111111';

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
    machine: { gpus: [] },
    processes: [],
    threads: [],
    names: [],
    nameSources: [],
    streams: [],
    coverage: [],
    sourceFindings: [],
    notices: [],
    ...changes,
    tables,
  };
}

export function fakeOpened(
  rows: Partial<Record<TableName, number>> = { cuda_call: 2 },
  traceId = TRACE_ID,
): OpenedTrace {
  return { traceId, investigation: fakeInvestigation(), summary: fakeSummary(rows) };
}
