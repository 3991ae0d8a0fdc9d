import type { Api } from '../../../src-main/contract/api.ts';
import type {
  StatementResult,
  StatementTable,
} from '../../../src-main/shared/answers/statement.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { statementExamples } from '../../../src-main/shared/statements/examples.ts';
import { tooLong } from '../../lib/sql/too-long.ts';
import { Task } from '../common/task.svelte.ts';

/** The SQL statement that is being written, and what the trace on the screen answered to the last one. */
export class StatementState {
  readonly #api: Api;
  readonly #traceId: () => string | undefined;
  /** Stays for the next trace: one asks the same of several. */
  #text = $state(statementExamples[0]?.text ?? '');
  #task = $state.raw<Task | undefined>();
  #result = $state.raw<StatementResult | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #tables = $state.raw<readonly StatementTable[] | undefined>();
  #tablesFailure = $state.raw<Failure | undefined>();

  /** How the result is shown; stays for the next one. */
  shows = $state<'table' | 'chart'>('table');

  constructor(api: Api, traceId: () => string | undefined) {
    this.#api = api;
    this.#traceId = traceId;
  }

  get text(): string {
    return this.#text;
  }

  /** What runs now. */
  get task(): Task | undefined {
    return this.#task;
  }

  get result(): StatementResult | undefined {
    return this.#result;
  }

  /** Why the last statement has no result. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** What a statement can read; undefined as long as it is not known. */
  get tables(): readonly StatementTable[] | undefined {
    return this.#tables;
  }

  get tablesFailure(): Failure | undefined {
    return this.#tablesFailure;
  }

  write(text: string): void {
    this.#text = text;
  }

  /** Runs the statement; one that still runs is ended. The result before it stays until there is another one. */
  async run(): Promise<void> {
    const traceId = this.#traceId();
    if (traceId === undefined) return;
    const long = tooLong(this.#text);
    if (long !== undefined) {
      this.forgetAnswer();
      this.#failure = long;
      return;
    }
    this.#task?.cancel();
    const task = new Task('Running the statement');
    this.#task = task;
    this.#failure = undefined;
    const asked = { traceId, text: this.#text };
    const result = await this.#api.call('sql.run', asked, task.options);
    if (this.#task !== task) return;
    task.end();
    this.#task = undefined;
    if (result.ok) this.#result = result.value;
    else {
      this.#result = undefined;
      this.#failure = result.error;
    }
  }

  /** Ends what runs; whether anything did. */
  cancel(): boolean {
    const task = this.#task;
    if (task === undefined) return false;
    this.#task = undefined;
    task.cancel();
    return true;
  }

  async loadTables(traceId: string): Promise<void> {
    const tables = await this.#api.call('sql.tables', { traceId });
    if (traceId !== this.#traceId()) return;
    this.#tablesFailure = tables.ok ? undefined : tables.error;
    if (tables.ok) this.#tables = tables.value;
  }

  /** The trace is seen with other roles now: what it answered is of those before, what it can be asked is the same. */
  forgetAnswer(): void {
    this.cancel();
    this.#result = undefined;
    this.#failure = undefined;
  }

  clear(): void {
    this.forgetAnswer();
    this.#tables = undefined;
    this.#tablesFailure = undefined;
  }
}
