import { z } from 'zod';
import type { StatementResult, StatementTable } from '../answers/statement.ts';
import { queryName, queryText, type SavedQuery } from '../library/saved-query.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';

const traceId = z.uuid();

/** SQL statements over an open trace, and those that are kept. */
export const sqlCalls = {
  /** Answers one SELECT, up to the most rows that a screen takes; cancelling ends it in the middle. */
  'sql.run': call(
    z.strictObject({ traceId, text: queryText }),
    returns<StatementResult>(),
    'statement-wrong',
    'statement-too-large',
    'statement-lost',
    'too-slow',
    'disk-full',
    'not-open',
    'process-lost',
  ),
  /** What a statement can read. */
  'sql.tables': call(
    z.strictObject({ traceId }),
    returns<readonly StatementTable[]>(),
    'not-open',
    'process-lost',
  ),
  /** The statements that are kept, by name. */
  'sql.saved': call(z.strictObject({}), returns<readonly SavedQuery[]>(), 'library-unavailable'),
  /** Keeps a statement, in place of the one of that name. */
  'sql.save': call(
    z.strictObject({ name: queryName, text: queryText }),
    returns<SavedQuery>(),
    'library-unavailable',
    'too-many-queries',
  ),
  'sql.remove': call(z.strictObject({ name: z.string() }), returns<null>(), 'library-unavailable'),
} as const satisfies CallTable;
