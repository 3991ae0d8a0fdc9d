import type { DatabaseSync } from 'node:sqlite';
import { MAX_NAMES } from '../../../shared/model/schema.ts';
import { columnNames, integer, readRows, text, textColumn } from '../../sqlite/read-table.ts';
import { knownOpNames, opKey, sourceNames } from './op-codes.ts';

/** The last name stands for what did not fit. */
const LAST_NAME = MAX_NAMES - 1;
const OVERFLOW_NAME = '(more names than can be told apart)';

/** The trace's names, each with the source it belongs to, interned. */
export class NameTable {
  readonly names: string[] = [];
  readonly nameSources: string[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #opIndexes = new Map<number, number>();
  readonly #sources: ReadonlyMap<number, string>;
  readonly #ops: ReadonlyMap<number, string>;

  constructor(sources: ReadonlyMap<number, string>, ops: ReadonlyMap<number, string>) {
    this.#sources = sources;
    this.#ops = ops;
  }

  /** Index of `name`; `source` is empty for names that are no operations. */
  intern(name: string, source = ''): number {
    const full = this.names.length >= LAST_NAME;
    const key = `${source}\n${name}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    if (full) return LAST_NAME;
    const index = this.names.push(name) - 1;
    this.nameSources.push(source);
    this.#indexes.set(key, index);
    if (this.names.length === LAST_NAME) {
      this.names.push(OVERFLOW_NAME);
      this.nameSources.push('');
    }
    return index;
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
    const known = this.#opIndexes.get(key);
    if (known !== undefined) return known;
    const index = this.intern(this.opName(source, op), this.sourceName(source));
    this.#opIndexes.set(key, index);
    return index;
  }
}

/** Rows of a lookup table looked at: real ones have some thirty. */
const MAX_LOOKUP_ROWS = 4096;

/** The names of a file: its own lookup tables where they say something, else Ingero's list. */
export function readNameTable(database: DatabaseSync): NameTable {
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
  return new NameTable(sources, ops);
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= 255;
}

function setName(names: Map<number, string>, key: number | undefined, name: string): void {
  if (key !== undefined && name.trim() !== '') names.set(key, name);
}
