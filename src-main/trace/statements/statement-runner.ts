import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type {
  StatementCell,
  StatementRows,
  StatementStart,
} from '../../shared/answers/statement.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { eventColumns } from '../formats/stalltrace/schema.ts';
import { createDatabase, fillTables } from './fill-database.ts';
import { openReader, type Read } from './open-reader.ts';
import { type StatementError, statementFailure } from './statement-failure.ts';

/** Of one answer; a row more than that goes alone. */
const ANSWER_BYTES = 2 ** 20;

/** Runs the SQL statements of a user over one trace, one after the other. */
export class StatementRunner {
  readonly #trace: Trace;
  readonly #path: string;
  readonly #filled = new Set<TableName>();
  #isCreated = false;
  #reader: DatabaseSync | undefined;
  #reads: Read[] = [];
  #running: { readonly text: string; readonly rows: Iterator<unknown> } | undefined;

  constructor(trace: Trace, scratchFolder: string) {
    this.#trace = trace;
    mkdirSync(scratchFolder, { recursive: true, mode: 0o700 });
    this.#path = join(scratchFolder, 'statements.db');
  }

  /** Fills the tables that `text` reads, where that was not done yet, and is ready for its first row. */
  start(text: string): Result<StatementStart, StatementError | 'disk-full'> {
    this.#running = undefined;
    if (text.includes('\0'))
      return fail('statement-wrong', 'The statement has a NUL character in it.');
    try {
      if (!this.#isCreated) createDatabase(this.#path, this.#trace);
      this.#isCreated = true;
      const first = this.#prepare(text);
      if (!first.ok) return first;
      const missing = tableNames.filter(
        (table) => !this.#filled.has(table) && this.#reads.some((read) => read.table === table),
      );
      if (missing.length === 0) return this.#begin(text, first.value);
      this.#closeReader();
      fillTables(this.#path, this.#trace, missing);
      for (const table of missing) this.#filled.add(table);
      const again = this.#prepare(text);
      return again.ok ? this.#begin(text, again.value) : again;
    } catch (thrown) {
      this.close();
      const full = 'There is no room for the tables that the statement reads: free disk space.';
      if (/full|disk I\/O/.test(describeThrown(thrown))) return fail('disk-full', full);
      throw thrown;
    }
  }

  next(maxRows: number): Result<StatementRows, StatementError> {
    const { rows: source, text } = this.#running ?? {};
    if (source === undefined || this.#reader === undefined) return ok({ rows: [], done: true });
    const rows: StatementCell[][] = [];
    let bytes = 0;
    try {
      while (rows.length < maxRows && bytes < ANSWER_BYTES) {
        const { value, done } = source.next();
        if (done === true) {
          this.#running = undefined;
          return ok({ rows, done: true });
        }
        const row = (value as SQLOutputValue[]).map(cellOf);
        for (const cell of row) bytes += typeof cell === 'string' ? 2 * cell.length : 8;
        rows.push(row);
      }
      return ok({ rows, done: false });
    } catch (thrown) {
      this.#running = undefined;
      return statementFailure(this.#reader, text ?? '', thrown);
    }
  }

  close(): void {
    this.#running = undefined;
    this.#closeReader();
    rmSync(this.#path, { force: true });
    this.#isCreated = false;
    this.#filled.clear();
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  #prepare(text: string): Result<StatementSync, StatementError> {
    this.#reader ??= openReader(this.#path, (read) => this.#reads.push(read));
    this.#reads = [];
    try {
      const statement = this.#reader.prepare(text);
      const rest = text.slice(statement.sourceSQL.length);
      const isOne =
        rest.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').replaceAll(/[\s;]/g, '') === '';
      return isOne ? ok(statement) : fail('statement-wrong', 'Give one statement at a time.');
    } catch (thrown) {
      if (/no SQL|contains no statement|has been finalized/i.test(describeThrown(thrown)))
        return fail('statement-wrong', 'There is no statement in this text.');
      return statementFailure(this.#reader, text, thrown);
    }
  }

  #begin(text: string, statement: StatementSync): Result<StatementStart, StatementError> {
    const columns = statement.columns().map(({ name }) => name);
    if (columns.length === 0)
      return fail('statement-wrong', 'There is no SELECT in this statement.');
    statement.setReturnArrays(true);
    // Moments of Unix time are beyond 2^53.
    statement.setReadBigInts(true);
    this.#running = { text, rows: statement.iterate() };
    return ok({ columns, notRecorded: this.#notRecorded() });
  }

  #notRecorded(): string[] {
    const absent = new Set<string>();
    for (const { table, column, isNamed } of this.#reads) {
      const events = tableNames.find((name) => name === table);
      if (!isNamed || events === undefined) continue;
      const known = eventColumns(events).find(({ sqlName }) => sqlName === column);
      if (known !== undefined && columnsOf(this.#trace, events)[known.name] === undefined)
        absent.add(`${table}.${column}`);
    }
    return [...absent];
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
