import { describeThrown, fail, ok } from '../../shared/rpc/result.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';
import { StatementReader } from '../../trace/statements/statement-reader.ts';
import type { StatementProcessCalls } from './statement-process-calls.ts';

/** The handlers of the process of one statement. */
export function createStatementSession(): Handlers<StatementProcessCalls> {
  let reader: StatementReader | undefined;
  return {
    ready: async () => ok(null),
    async prepare({ path, text, absent }) {
      try {
        reader = new StatementReader(path, text);
      } catch (thrown) {
        const lost = 'The tables that the statement reads are gone meanwhile: run it again.';
        return fail('statement-lost', lost, describeThrown(thrown));
      }
      return reader.prepare(absent);
    },
    async next({ maxRows }) {
      if (reader === undefined) throw new Error('asked for rows before a statement was prepared');
      return reader.next(maxRows);
    },
  };
}
