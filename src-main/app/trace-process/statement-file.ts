import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Asked } from '../../questions/question.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { absentColumns, writeTables } from '../../trace/statements/write-tables.ts';
import { type AnswerThreads, CHANGED } from './answer-threads.ts';

/** The file that statements over a trace read, as it is now. */
export interface WrittenTables {
  readonly path: string;
  /** Tables of events that are filled. */
  readonly written: readonly TableName[];
  /** Columns of events that nobody recorded, as `table.column`. */
  readonly absent: readonly string[];
}

interface OneFile {
  readonly path: string;
  readonly written: Set<TableName>;
  isNew: boolean;
}

/** Tables of the trace for SQL statements, each written when the first statement reads it. */
export class StatementFile {
  readonly #scratch: () => string;
  readonly #threads: AnswerThreads;
  #file: OneFile | undefined;
  /** Until who writes just now is done. */
  #turn: Promise<void> | undefined;
  #isOver = false;

  constructor(scratch: () => string, threads: AnswerThreads) {
    this.#scratch = scratch;
    this.#threads = threads;
  }

  /**
   * With these tables, written beside all else that is asked of a large trace: an abort ends that. One after the other:
   * the next finds what the one before left.
   */
  async with(
    asked: Asked,
    tables: readonly TableName[],
    isLarge: boolean,
    signal: AbortSignal,
  ): Promise<Result<WrittenTables, 'disk-full'>> {
    while (this.#turn !== undefined) await this.#turn;
    const done = this.#inTurn(asked, tables, isLarge, signal);
    const over = () => {
      this.#turn = undefined;
    };
    this.#turn = done.then(over, over);
    return done;
  }

  /** For the trace as it is from now on. */
  another(): StatementFile {
    this.#isOver = true;
    if (this.#file !== undefined) this.#drop(this.#file);
    return new StatementFile(this.#scratch, this.#threads);
  }

  async #inTurn(
    asked: Asked,
    tables: readonly TableName[],
    isLarge: boolean,
    signal: AbortSignal,
  ): Promise<Result<WrittenTables, 'disk-full'>> {
    // Both may have come while it waited for its turn.
    if (this.#isOver) return fail('internal', CHANGED) as Result<never, never>;
    if (signal.aborted) return fail('cancelled', 'Cancelled.') as Result<never, never>;
    this.#file ??= this.#newFile();
    const file = this.#file;
    const missing = tables.filter((table) => !file.written.has(table));
    if (file.isNew || missing.length > 0) {
      const wanted = { path: file.path, isNew: file.isNew, tables: missing };
      let isWritten = false;
      try {
        const done = isLarge
          ? await this.#threads.ask('tables', asked, 'statement.write', wanted, signal)
          : writeTables(asked.trace, wanted);
        if (!done.ok) return done as Result<never, 'disk-full'>;
        isWritten = true;
      } finally {
        if (!isWritten) this.#drop(file);
      }
      file.isNew = false;
      for (const table of missing) file.written.add(table);
    }
    const absent = absentColumns(asked.trace);
    return ok({ path: file.path, written: [...file.written], absent });
  }

  /** No other has its name: who reads one that is gone notices. */
  #newFile(): OneFile {
    const path = join(this.#scratch(), `statements-${randomUUID()}.db`);
    return { path, written: new Set(), isNew: true };
  }

  /** What half of was written, or what is of another trace now, is of no use. */
  #drop(file: OneFile): void {
    if (this.#file === file) this.#file = undefined;
    try {
      rmSync(file.path, { force: true });
    } catch {
      // Somebody still reads it: it goes with its folder.
    }
  }
}
