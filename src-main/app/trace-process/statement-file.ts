import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Asked } from '../../questions/question.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { absentColumns, writeTables } from '../../trace/statements/write-tables.ts';
import type { AnswerThreads } from './answer-threads.ts';

/** The file that statements over a trace read, as it is now. */
export interface WrittenTables {
  readonly path: string;
  /** Tables of events that are filled. */
  readonly written: readonly TableName[];
  /** Columns of events that nobody recorded, as `table.column`. */
  readonly absent: readonly string[];
}

/** Tables of the trace for SQL statements, each written when the first statement reads it. */
export class StatementFile {
  readonly #scratch: () => string;
  readonly #threads: AnswerThreads;
  readonly #written = new Set<TableName>();
  #number: number;
  #isNew = true;

  constructor(scratch: () => string, threads: AnswerThreads, number = 0) {
    this.#scratch = scratch;
    this.#threads = threads;
    this.#number = number;
  }

  /** With these tables, written beside all else that is asked of a large trace: an abort ends that. */
  async with(
    asked: Asked,
    tables: readonly TableName[],
    isLarge: boolean,
    signal: AbortSignal,
  ): Promise<Result<WrittenTables, 'disk-full'>> {
    const missing = tables.filter((table) => !this.#written.has(table));
    if (this.#isNew || missing.length > 0) {
      const wanted = { path: this.#path, isNew: this.#isNew, tables: missing };
      const done = isLarge
        ? await this.#threads.ask('tables', asked, 'statement.write', wanted, signal)
        : writeTables(asked.trace, wanted);
      if (!done.ok) {
        this.#begin();
        return done as Result<never, 'disk-full'>;
      }
      this.#isNew = false;
      for (const table of missing) this.#written.add(table);
    }
    const { trace } = asked;
    return ok({ path: this.#path, written: [...this.#written], absent: absentColumns(trace) });
  }

  /** For the trace as it is from now on. */
  another(): StatementFile {
    this.#begin();
    return new StatementFile(this.#scratch, this.#threads, this.#number);
  }

  get #path(): string {
    return join(this.#scratch(), `statements-${this.#number}.db`);
  }

  /** What half of was written, or what is of another trace now, is of no use. */
  #begin(): void {
    try {
      if (this.#scratch() !== '') rmSync(this.#path, { force: true });
    } catch {
      // Somebody still reads it: it goes with its folder.
    }
    this.#number++;
    this.#isNew = true;
    this.#written.clear();
  }
}
