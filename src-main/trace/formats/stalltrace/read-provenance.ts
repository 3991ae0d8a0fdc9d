import type { DatabaseSync } from 'node:sqlite';
import { type TableName, tableNames, tableSpecs } from '../../../shared/model/schema.ts';
import { type Provenance, provenanceKinds } from '../../../shared/model/trace.ts';
import type { TableNotes } from '../../build/assemble-tables.ts';
import { countCell, textCell } from './cells.ts';
import { type EntityRow, readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { eventColumns } from './schema.ts';
import { tableToday } from './version-0.ts';

/** What a file says about a table. */
export interface FileNotes extends TableNotes {
  provenance: Provenance;
  columnProvenance: Record<string, Provenance>;
  recordedAs: TableNotes['recordedAs'];
}

const recordedSources: Partial<Record<TableName, string>> = {
  cuda_call: 'CUDA',
  gpu_work: 'GPU',
  block_io: 'IO',
};

function defaultNotes(table: TableName, present: boolean): FileNotes {
  return {
    provenance: present
      ? { kind: 'partial', note: 'the file does not say how completely this was recorded' }
      : { kind: 'absent', note: 'not recorded' },
    columnProvenance: {},
    recordedAs: { source: recordedSources[table] ?? 'HOST', op: table },
  };
}

function buildProvenance(row: EntityRow<'provenance'>): Provenance | undefined {
  const everyNs = countCell(row.every_ns);
  const kind = provenanceKinds.find((known) => known === row.kind);
  if (kind === undefined) return undefined;
  const note = textCell(row.note, 4096) ?? '';
  return everyNs === undefined ? { kind, note } : { kind, note, everyNs };
}

function applyRow(notes: FileNotes, table: TableName, row: EntityRow<'provenance'>): void {
  const provenance = buildProvenance(row);
  const sqlName = textCell(row.column_name) ?? '';
  if (sqlName !== '') {
    const column = eventColumns(table).find((candidate) => candidate.sqlName === sqlName);
    if (column !== undefined && provenance !== undefined)
      notes.columnProvenance[column.name] = provenance;
    return;
  }
  if (provenance !== undefined) notes.provenance = provenance;
  const source = textCell(row.recorded_source);
  const op = textCell(row.recorded_op);
  notes.recordedAs = {
    source: source ?? notes.recordedAs.source,
    op: op ?? notes.recordedAs.op,
  };
}

/** Agents that say nothing of the names of files did not prove them. */
const LOOKED_UP: Provenance = {
  kind: 'inferred',
  note: 'What a descriptor stood for was looked up after the wait: the name may be that of a file opened later.',
};

/** How far each table and column of a file can be trusted, in its own words. */
export function readProvenance(
  database: DatabaseSync,
  schema: FileSchema,
  recorder = '',
): Readonly<Record<TableName, FileNotes>> {
  const notes = Object.fromEntries(
    tableNames.map((table) => [table, defaultNotes(table, schema.tables.has(table))]),
  ) as Record<TableName, FileNotes>;
  for (const row of readEntityRows(database, schema, 'provenance')) {
    const table = tableToday(schema.version, textCell(row.table_name) ?? '');
    if (Object.hasOwn(tableSpecs, table))
      applyRow(notes[table as TableName], table as TableName, row);
  }
  if (recorder.startsWith('Stalltrace agent') && schema.tables.has('off_cpu'))
    notes.off_cpu.columnProvenance.file ??= LOOKED_UP;
  return notes;
}
