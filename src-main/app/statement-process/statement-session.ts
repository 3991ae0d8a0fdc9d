import { ok } from '../../shared/rpc/result.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';
import { StatementReader } from '../../trace/statements/statement-reader.ts';
import type { StatementProcessCalls } from './statement-process-calls.ts';

/** The handlers of the process of one statement. */
export function createStatementSession(): Handlers<StatementProcessCalls> {
  let reader: StatementReader | undefined;
  return {
    ready: async () => ok(null),
    async prepare({ path, text, absent }) {
      reader = new StatementReader(path, text);
      return reader.prepare(absent);
    },
    async next({ maxRows }) {
      if (reader === undefined) throw new Error('asked for rows before a statement was prepared');
      return reader.next(maxRows);
    },
  };
}
