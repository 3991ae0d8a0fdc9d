import {
  cpuModes,
  cudaLayers,
  directions,
  gpuWorkKinds,
  hostMemoryKinds,
  memoryKinds,
  processEventKinds,
  wakeContexts,
} from '../../../shared/model/codes.ts';
import {
  type ColumnSpec,
  columnSpecs,
  type Reference,
  type TableName,
} from '../../../shared/model/schema.ts';

/** `application_id` of our files, "STLT": byte 68 of the SQLite header. */
export const APPLICATION_ID = 0x53544c54;

/** `user_version` this program writes; every earlier one it reads. */
export const FORMAT_VERSION = 1;

/** `''` = any type: SQLite keeps what was written. */
export type SqlType = 'INTEGER' | 'INTEGER PRIMARY KEY' | 'TEXT PRIMARY KEY' | 'REAL' | 'TEXT' | '';

/** How a cell leads to the number in the model's column. */
type CellKind =
  /** An integer ≥ 0, ns or a size or a count. */
  | 'integer'
  /** Any integer or real, kept as the nearest 64-bit float. */
  | 'number'
  /** One of the small codes of shared/model/codes.ts. */
  | 'code'
  | IdOf;

/** What an id column refers to. CPUs keep the ids of the file. */
type IdOf = Exclude<Reference, 'cpu'>;

/** Tables of which a row can be named by another row. */
export type TableOfRows = 'cuda_call' | 'range';

export interface EventColumn {
  /** Name in the model, `startNs`. */
  readonly name: string;
  /** Name in the file, `start_ns`. */
  readonly sqlName: string;
  readonly sqlType: SqlType;
  readonly cell: CellKind;
  /** Unit as the file's reader needs it: ids instead of positions. */
  readonly unit: string;
  readonly spec: ColumnSpec;
}

/** The ids by which other rows name a row: columns of the file, not of the model. */
export const rowIdColumns: Readonly<
  Record<TableOfRows, { readonly sqlName: string; readonly unit: string; readonly doc: string }>
> = {
  cuda_call: {
    sqlName: 'call_id',
    unit: 'id',
    doc: 'the writer’s own number of this call, where another row refers to it; unique, < 2^53, best dense',
  },
  range: {
    sqlName: 'range_id',
    unit: 'id',
    doc: 'the writer’s own number of this range, where another row refers to it; unique, < 2^53, best dense',
  },
};

/** Whether rows of `table` can be named by others. */
export function isTableOfRows(table: string): table is TableOfRows {
  return Object.hasOwn(rowIdColumns, table);
}

const codeCounts: Readonly<Record<string, number>> = {
  CudaLayer: cudaLayers.length,
  Direction: directions.length,
  HostMemory: hostMemoryKinds.length,
  Memory: memoryKinds.length,
  GpuWorkKind: gpuWorkKinds.length,
  WakeContext: wakeContexts.length,
  ProcessEventKind: processEventKinds.length,
  CpuMode: cpuModes.length,
  boolean: 2,
};

/** How many codes a unit of kind `code` has: a newer file may use more. */
export function codeCount(unit: string): number {
  return codeCounts[unit] ?? 0;
}

const realUnits = ['as the metric says', 'as its name says'];
const anyNumberUnits = new Set([...realUnits, 'raw', 'address', 'graph node id']);

/** `runQueueNs` → `run_queue_ns`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const idOf = ({ refersTo }: ColumnSpec): IdOf | undefined =>
  refersTo === 'cpu' ? undefined : refersTo;

function sqlNameOf(name: string, reference: IdOf | undefined): string {
  if (reference === undefined) return snakeCase(name);
  const rowId = isTableOfRows(reference) ? rowIdColumns[reference].sqlName : 'id';
  if (rowId === `${name}_id`) return rowId;
  return `${snakeCase(name)}_${rowId}`;
}

function cellKindOf(spec: ColumnSpec): CellKind {
  const reference = idOf(spec);
  if (reference !== undefined) return reference;
  if (codeCounts[spec.unit] !== undefined) return 'code';
  return anyNumberUnits.has(spec.unit) ? 'number' : 'integer';
}

function unitOf(spec: ColumnSpec, reference: IdOf | undefined): string {
  if (spec.refersTo === 'cpu') return 'cpu.id';
  if (reference === undefined) return spec.unit;
  return `${reference}.${isTableOfRows(reference) ? rowIdColumns[reference].sqlName : 'id'}`;
}

/** The columns of an event table as the file spells them, in the model's order. */
export function eventColumns(table: TableName): readonly EventColumn[] {
  return columnSpecs(table).map(([name, spec]) => {
    const reference = idOf(spec);
    return {
      name,
      sqlName: sqlNameOf(name, reference),
      sqlType: realUnits.includes(spec.unit) ? 'REAL' : 'INTEGER',
      cell: cellKindOf(spec),
      unit: unitOf(spec, reference),
      spec,
    };
  });
}

/** What a column's documentation says in the file, where "not known" is NULL and no number. */
export function fileDoc(column: EventColumn): string {
  const { doc: inModel, none = -1 } = column.spec;
  const doc = inModel.replaceAll(`${none} = `, 'NULL = ');
  return column.name === 'startNs' ? 'start, from the begin in meta.begin_unix_ns; ≥ 0' : doc;
}
