import { expect, test } from 'vitest';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { Services } from '../services/services.ts';
import type { RunningStatement, Statements } from '../statements/statements.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { sqlHandlers } from './sql.ts';

type After = Awaited<ReturnType<RunningStatement['next']>>;

/** What is told of a statement that has given as many rows as are shown, and to the question for one more `after`. */
function runFull(after: After) {
  const running = {
    start: { columns: ['n'], origins: [null], notRecorded: [] },
    tookMs: 1,
    next: async (most: number) =>
      most === 1 ? after : ok({ rows: Array.from({ length: most }, () => [1]), done: false }),
  };
  const run: Statements['run'] = async (_traceId, _asked, _context, use) => use(running);
  const handlers = sqlHandlers({ statements: { run } } as unknown as Services);
  return handlers['sql.run']({ traceId: '', text: '' }, contextOf());
}

test('all rows that are shown are told, whatever becomes of the question for one more', async () => {
  const all = { ok: true, value: { rows: { length: 100_000 } } };
  const cut = { ...all, value: { ...all.value, isCut: true } };
  expect(await runFull(ok({ rows: [[1]], done: false }))).toMatchObject(cut);
  expect(await runFull(fail('too-slow', ''))).toMatchObject(cut);
  expect(await runFull(fail('cancelled', ''))).toMatchObject({ error: { code: 'cancelled' } });
  expect(await runFull(ok({ rows: [], done: true }))).toMatchObject({ value: { isCut: false } });
});
