import {
  type ColumnArray,
  type Columns,
  columnArray,
  elementBytes,
  rowCount,
  storedAs,
} from './columns.ts';
import { columnSpecs, type StoredType, type TableName } from './schema.ts';

/**
 * The binary body of one table: `STC1`, the header's length (u32 LE), a JSON header
 * `{rows, columns: [[name, type, byteOffset]]}`, then each column at a multiple of 8 bytes,
 * little-endian, offsets counted from the body's begin.
 */

const MAGIC = 0x31435453; // "STC1", little-endian
const PREFIX_BYTES = 8;

interface Header {
  rows: number;
  columns: [name: string, type: StoredType, byteOffset: number][];
}

const align8 = (offset: number) => Math.ceil(offset / 8) * 8;

/** The body of `columns` as chunks that share the columns' memory, and its length in bytes. */
export function encodeColumns<T extends TableName>(
  table: T,
  columns: Columns<T>,
  wanted?: readonly string[],
): { chunks: Uint8Array[]; byteLength: number } {
  const arrays = columns as unknown as Record<string, ColumnArray | undefined>;
  const present = columnSpecs(table).filter(
    ([name]) => arrays[name] !== undefined && (wanted === undefined || wanted.includes(name)),
  );
  const rows = rowCount(columns);
  // Offsets have up to 16 digits; the header is padded to a length known before they are.
  const headerBytes = align8(
    PREFIX_BYTES + 64 + present.reduce((sum, [name]) => sum + name.length + 40, 0),
  );
  const header: Header = { rows, columns: [] };
  const chunks: Uint8Array[] = [];
  let offset = headerBytes;
  for (const [name, spec] of present) {
    const array = arrays[name] as ColumnArray;
    header.columns.push([name, storedAs(spec.type, array), offset]);
    chunks.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    const padding = align8(array.byteLength) - array.byteLength;
    if (padding > 0) chunks.push(new Uint8Array(padding));
    offset += array.byteLength + padding;
  }
  const prefix = new Uint8Array(headerBytes).fill(0x20);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, headerBytes - PREFIX_BYTES, true);
  prefix.set(new TextEncoder().encode(JSON.stringify(header)), PREFIX_BYTES);
  return { chunks: [prefix, ...chunks], byteLength: offset };
}

/** The columns of a body, as views of it. Throws RangeError where the body is cut or not one of ours. */
export function decodeColumns<T extends TableName>(
  table: T,
  body: ArrayBuffer,
): Partial<Columns<T>> {
  const view = new DataView(body);
  if (body.byteLength < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new RangeError('not a table body');
  const headerBytes = view.getUint32(4, true);
  const header = JSON.parse(
    new TextDecoder().decode(new Uint8Array(body, PREFIX_BYTES, headerBytes)),
  ) as Header;
  const known = new Map(columnSpecs(table));
  const columns: Record<string, ColumnArray> = {};
  for (const [name, type, offset] of header.columns) {
    const expected = known.get(name)?.type;
    if (expected === 'name' ? type !== 'u16' && type !== 'u32' : expected !== type)
      throw new RangeError(`column ${name} of ${table} has another type`);
    if (offset + header.rows * elementBytes[type] > body.byteLength)
      throw new RangeError(`column ${name} is cut off`);
    columns[name] = columnArray(type, header.rows, body, offset);
  }
  return columns as Partial<Columns<T>>;
}
