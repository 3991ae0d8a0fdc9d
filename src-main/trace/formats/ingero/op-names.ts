import type { DatabaseSync } from 'node:sqlite';
import type { NameBuilder } from '../../build/names.ts';
import { columnNames, integer, readRows, text, textColumn } from '../../sqlite/read-table.ts';
import { knownOpNames, opKey, sourceNames } from './op-codes.ts';

/** What operations and sources are called, and where that is among the names of the trace. */
export class OpNames {
  readonly #names: NameBuilder;
  readonly #indexes = new Map<number, number>();
  readonly #sources: ReadonlyMap<number, string>;
  readonly #ops: ReadonlyMap<number, string>;

  constructor(
    names: NameBuilder,
    sources: ReadonlyMap<number, string>,
    ops: ReadonlyMap<number, string>,
  ) {
    this.#names = names;
    this.#sources = sources;
    this.#ops = ops;
  }

  /** Whether the file or Ingero's own list has a name for the operation. */
  isKnown(source: number, op: number): boolean {
    return this.#ops.has(opKey(source, op));
  }

  sourceName(source: number): string {
    return this.#sources.get(source) ?? `source ${source}`;
  }

  opName(source: number, op: number): string {
    return this.#ops.get(opKey(source, op)) ?? `source ${source} op ${op}`;
  }

  /** Index of the name of an operation. */
  op(source: number, op: number): number {
    const key = opKey(source, op);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#names.add(this.opName(source, op), this.sourceName(source));
    this.#indexes.set(key, index);
    return index;
  }
}

/** Rows of a lookup table looked at: real ones have some thirty. */
const MAX_LOOKUP_ROWS = 4096;

/** The names of a file: its own lookup tables where they say something, else Ingero's list. */
export function readOpNames(database: DatabaseSync, names: NameBuilder): OpNames {
  const sources = new Map(sourceNames);
  const sourceColumns = columnNames(database, 'sources');
  if (sourceColumns.has('id') && sourceColumns.has('name')) {
    const sql = `SELECT id, ${textColumn(sourceColumns, 'name')} FROM sources LIMIT ${MAX_LOOKUP_ROWS}`;
    for (const [id, name] of readRows(database, sql)) setName(sources, integer(id), text(name));
  }
  const ops = new Map(knownOpNames);
  const opColumns = columnNames(database, 'ops');
  if (['source_id', 'op_id', 'name'].every((column) => opColumns.has(column))) {
    const sql = `SELECT source_id, op_id, ${textColumn(opColumns, 'name')} FROM ops LIMIT ${MAX_LOOKUP_ROWS}`;
    for (const [sourceCell, opCell, name] of readRows(database, sql)) {
      const source = integer(sourceCell);
      const op = integer(opCell);
      const valid = isByte(source) && isByte(op);
      setName(ops, valid ? opKey(source, op) : undefined, text(name));
    }
  }
  return new OpNames(names, sources, ops);
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= 255;
}

function setName(names: Map<number, string>, key: number | undefined, name: string): void {
  if (key !== undefined && name.trim() !== '') names.set(key, name);
}
