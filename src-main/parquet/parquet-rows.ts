import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { StatementCell } from '../shared/answers/statement.ts';

type Rows = readonly (readonly StatementCell[])[];

/** How a column of an answer is kept: the narrowest kind that holds all of its values. */
export type ColumnKind = 'integer' | 'real' | 'text';

const WIDTH: Readonly<Record<ColumnKind, number>> = { integer: 0, real: 1, text: 2 };

/** Learns the kinds of columns, which SQLite does not know before it has seen every row. */
export class ColumnKinds {
  readonly #kinds: (ColumnKind | undefined)[];

  constructor(columns: readonly string[]) {
    this.#kinds = columns.map(() => undefined);
  }

  see(rows: Rows): void {
    for (const row of rows)
      for (const [at, cell] of row.entries()) {
        if (cell === null) continue;
        const kind = kindOf(cell);
        const known = this.#kinds[at];
        if (known === undefined || WIDTH[kind] > WIDTH[known]) this.#kinds[at] = kind;
      }
  }

  /** A column that is NULL in every row could have held integers. */
  get all(): readonly ColumnKind[] {
    return this.#kinds.map((kind) => kind ?? 'integer');
  }
}

function kindOf(cell: string | number): ColumnKind {
  if (typeof cell === 'string') return 'text';
  return Number.isInteger(cell) ? 'integer' : 'real';
}

/** Rows → the bytes of a Parquet file, a row group for each call of `rows`. */
export class ParquetRows {
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #names: readonly string[];
  readonly #kinds: readonly ColumnKind[];

  constructor(columns: readonly string[], kinds: readonly ColumnKind[]) {
    this.#names = uniqueNames(columns);
    this.#kinds = kinds;
    const schema: SchemaElement[] = [
      { name: 'root', num_children: columns.length },
      ...this.#names.map((name, at) => elementOf(name, kinds[at] ?? 'text')),
    ];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'stalltrace' });
  }

  async rows(rows: Rows): Promise<Uint8Array> {
    const columnData = this.#names.map((name, at) => ({
      name,
      data: rows.map((row) => cellAs(row[at] ?? null, this.#kinds[at] ?? 'text')),
    }));
    if (rows.length > 0) await this.#writer.write({ columnData, rowGroupSize: rows.length });
    return this.#taken();
  }

  async end(): Promise<Uint8Array> {
    await this.#writer.finish();
    return this.#taken();
  }

  /** What was written since; places in the file go on to be counted. */
  #taken(): Uint8Array {
    const taken = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return taken;
  }
}

/** The file of all rows of an answer that is at hand, in pieces. */
export async function parquetFile(columns: readonly string[], rows: Rows): Promise<Uint8Array[]> {
  const kinds = new ColumnKinds(columns);
  kinds.see(rows);
  const file = new ParquetRows(columns, kinds.all);
  return [await file.rows(rows), await file.end()];
}

function elementOf(name: string, kind: ColumnKind): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if (kind === 'text') return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  return { ...optional, type: kind === 'integer' ? 'INT64' : 'DOUBLE' };
}

/** 64 bits keep every ns; an integer among real numbers is one of these. */
function cellAs(cell: StatementCell, kind: ColumnKind): StatementCell | bigint {
  if (cell === null) return null;
  if (kind === 'text') return String(cell);
  return kind === 'integer' ? BigInt(cell) : Number(cell);
}

/** A statement may name two columns alike; a file may not. */
function uniqueNames(columns: readonly string[]): string[] {
  const taken = new Set<string>();
  return columns.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}
