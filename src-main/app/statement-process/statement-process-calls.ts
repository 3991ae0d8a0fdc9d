import { z } from 'zod';
import type { StatementRows } from '../../shared/answers/statement.ts';
import { queryText } from '../../shared/library/saved-query.ts';
import { type CallTable, defineCall as call, returns } from '../../shared/rpc/rpc.ts';
import type { PreparedStatement } from '../../trace/statements/statement-reader.ts';

/** What the host asks of the process of one statement, once each but for `next`; it ends by being killed. */
export const statementProcessCalls = {
  /** Answers once it has started: that takes the statement no time. */
  ready: call(z.strictObject({}), returns<null>()),
  /** `path`: the file that the trace's process made; `absent`: columns that nobody recorded. */
  prepare: call(
    z.strictObject({
      path: z.string(),
      text: queryText,
      absent: z.array(z.string()),
    }),
    returns<PreparedStatement>(),
    'statement-lost',
    'statement-wrong',
    'statement-too-large',
  ),
  next: call(
    z.strictObject({ maxRows: z.int().min(1).max(10_000) }),
    returns<StatementRows>(),
    'statement-wrong',
    'statement-too-large',
  ),
} as const satisfies CallTable;
export type StatementProcessCalls = typeof statementProcessCalls;
