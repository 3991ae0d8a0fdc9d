import { expect, test } from 'vitest';
import { contextOf } from '../testing/fake-platform.ts';
import { createStatementSession } from './statement-session.ts';

test('a file that is gone is no bug: the statement is to be run again', async () => {
  const asked = { path: '/nowhere/statements.db', text: 'SELECT 1', absent: [] };
  const prepared = await createStatementSession().prepare(asked, contextOf());
  expect(prepared).toMatchObject({
    error: { code: 'statement-lost', message: expect.stringMatching(/run it again/) },
  });
});
