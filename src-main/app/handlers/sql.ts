import type { StatementCell, StatementResult } from '../../shared/answers/statement.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CommonError } from '../../shared/rpc/rpc.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import type { RunningStatement, StatementRunError } from '../statements/statements.ts';
import { askTrace } from '../traces/ask-trace.ts';

/** A person has had enough by then; the command line takes a longer time, and all rows. */
const TIME_MS = 60_000;
const MOST_ROWS = 100_000;
/** Of the answer as it is sent, about. */
const MOST_BYTES = 24 * 2 ** 20;
const CHUNK_ROWS = 5_000;

export function sqlHandlers({ traces, statements, library, emit }: Services): AreaHandlers<'sql'> {
  return {
    'sql.run': ({ traceId, text }, context) =>
      statements.run(traceId, { text, timeMs: TIME_MS }, context, firstRows),
    'sql.tables': ({ traceId }, context) =>
      askTrace(traces, traceId, context, ({ client }) => client.call('describeTables', {})),
    'sql.saved': () => library.call('savedQueries', {}),
    async 'sql.save'(query) {
      const kept = await library.call('putQuery', query);
      if (kept.ok) emit('sql.savedChanged', null);
      return kept;
    },
    async 'sql.remove'({ name }) {
      const removed = await library.call('removeQuery', { name });
      if (removed.ok) emit('sql.savedChanged', null);
      return removed;
    },
  };
}

async function firstRows(
  running: RunningStatement,
): Promise<Result<StatementResult, StatementRunError | CommonError>> {
  const rows: (readonly StatementCell[])[] = [];
  let bytes = 0;
  let done = false;
  while (!done && rows.length < MOST_ROWS && bytes < MOST_BYTES) {
    const next = await running.next(Math.min(CHUNK_ROWS, MOST_ROWS - rows.length));
    if (!next.ok) return next;
    for (const row of next.value.rows) {
      rows.push(row);
      for (const cell of row) bytes += typeof cell === 'string' ? cell.length + 3 : 12;
    }
    done = next.value.done;
  }
  // Exactly as many as there may be: whether there are more is asked. Where that is not told in time, the rows still count.
  if (!done) {
    const next = await running.next(1);
    if (!next.ok && next.error.code === 'cancelled') return next;
    done = next.ok && next.value.rows.length === 0;
  }
  return ok({ ...running.start, rows, isCut: !done, tookMs: running.tookMs });
}
