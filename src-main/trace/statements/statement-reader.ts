import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type {
  StatementCell,
  StatementRows,
  StatementStart,
} from '../../shared/answers/statement.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { openReader, type Read } from './open-reader.ts';
import { type StatementError, statementFailure } from './statement-failure.ts';

/** Of one answer; a row more than that goes alone. */
const ANSWER_BYTES = 2 ** 20;

/** A statement that was prepared, and the tables of events that have to be filled before its first row. */
export interface PreparedStatement extends StatementStart {
  readonly tables: readonly TableName[];
}

/**
 * One SQL statement of a user over a file that `writeTables` made. Nothing interrupts it: whoever has had enough of it
 * ends its process.
 */
export class StatementReader {
  readonly #reader: DatabaseSync;
  readonly #text: string;
  readonly #reads: Read[] = [];
  #statement: StatementSync | undefined;
  #rows: Iterator<unknown> | undefined;

  constructor(path: string, text: string) {
    this.#text = text;
    this.#reader = openReader(path, (read) => this.#reads.push(read));
  }

  /** `absent`: columns that nobody recorded, as `table.column`. */
  prepare(absent: readonly string[]): Result<PreparedStatement, StatementError> {
    const prepared = this.#prepare();
    if (!prepared.ok) return prepared;
    const columns = prepared.value.columns();
    if (columns.length === 0)
      return fail('statement-wrong', 'There is no SELECT in this statement.');
    this.#statement = prepared.value;
    return ok({
      columns: columns.map(({ name }) => name),
      origins: columns.map(({ table, column }) =>
        table === null || column === null ? null : `${table}.${column}`,
      ),
      notRecorded: this.#notRecorded(new Set(absent)),
      tables: tableNames.filter((table) => this.#reads.some((read) => read.table === table)),
    });
  }

  /** The next rows, at least one where there is one. */
  next(maxRows: number): Result<StatementRows, StatementError> {
    const source = this.#begin();
    if (source === undefined) return ok({ rows: [], done: true });
    const rows: StatementCell[][] = [];
    let bytes = 0;
    try {
      while (rows.length < maxRows && bytes < ANSWER_BYTES) {
        const { value, done } = source.next();
        if (done === true) {
          this.#statement = undefined;
          return ok({ rows, done: true });
        }
        const row = (value as SQLOutputValue[]).map(cellOf);
        for (const cell of row) bytes += typeof cell === 'string' ? 2 * cell.length : 8;
        rows.push(row);
      }
      return ok({ rows, done: false });
    } catch (thrown) {
      this.#statement = undefined;
      return statementFailure(this.#reader, this.#text, thrown);
    }
  }

  close(): void {
    this.#statement = undefined;
    this.#reader.close();
  }

  #begin(): Iterator<unknown> | undefined {
    const statement = this.#statement;
    if (statement === undefined) return undefined;
    if (this.#rows === undefined) {
      statement.setReturnArrays(true);
      // Moments of Unix time are beyond 2^53.
      statement.setReadBigInts(true);
      this.#rows = statement.iterate();
    }
    return this.#rows;
  }

  #prepare(): Result<StatementSync, StatementError> {
    const text = this.#text;
    if (text.includes('\0'))
      return fail('statement-wrong', 'The statement has a NUL character in it: remove it.');
    try {
      const statement = this.#reader.prepare(text);
      const rest = text.slice(statement.sourceSQL.length);
      const isOne =
        rest.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').replaceAll(/[\s;]/g, '') === '';
      return isOne ? ok(statement) : fail('statement-wrong', 'Give one statement at a time.');
    } catch (thrown) {
      if (/no SQL|contains no statement|has been finalized/i.test(describeThrown(thrown)))
        return fail('statement-wrong', 'There is no statement in this text: write a SELECT.');
      return statementFailure(this.#reader, text, thrown);
    }
  }

  #notRecorded(absent: ReadonlySet<string>): string[] {
    const named = this.#reads
      .filter(({ isNamed }) => isNamed)
      .map(({ table, column }) => `${table}.${column}`);
    return [...new Set(named)].filter((column) => absent.has(column));
  }
}

function cellOf(value: SQLOutputValue): StatementCell {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return value;
}
