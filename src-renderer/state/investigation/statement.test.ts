import { expect, test } from 'vitest';
import type { StatementResult } from '../../../src-main/shared/answers/statement.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { StatementState } from './statement.svelte.ts';

const TRACE = '11111111-1111-4111-8111-111111111111';

function resultOf(text: string): StatementResult {
  const start = { columns: ['text'], origins: [null], notRecorded: [] };
  return { ...start, rows: [[text]], isCut: false, tookMs: 1 };
}

test('a statement has its result, and a wrong one a sentence in its place', async () => {
  const fake = new FakeApi().answer('sql.run', ({ text }) =>
    text === 'wrong' ? fail('statement-wrong', 'It is wrong.') : ok(resultOf(text)),
  );
  const state = new StatementState(fake.api, () => TRACE);
  state.write('SELECT 1');
  await state.run();
  expect(state).toMatchObject({ result: { rows: [['SELECT 1']] }, task: undefined });
  state.write('wrong');
  await state.run();
  expect(state).toMatchObject({ result: undefined, failure: { message: 'It is wrong.' } });
  state.clear();
  expect(state).toMatchObject({ failure: undefined, text: 'wrong' });
});

test('what is run again, or cancelled, is given up, and its answer is nobody’s', async () => {
  const waiting: (() => void)[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const fake = new FakeApi().answer('sql.run', async ({ text }, options) => {
    signals.push(options?.signal);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return ok(resultOf(text));
  });
  const state = new StatementState(fake.api, () => TRACE);
  state.write('first');
  const first = state.run();
  state.write('second');
  const second = state.run();
  expect(signals[0]?.aborted).toBe(true);
  for (const answer of waiting) answer();
  await Promise.all([first, second]);
  expect(state.result?.rows).toEqual([['second']]);
  const third = state.run();
  expect(state.cancel()).toBe(true);
  expect(state.cancel()).toBe(false);
  waiting[2]?.();
  await third;
  expect(state).toMatchObject({ task: undefined, failure: undefined });
  expect(signals[2]?.aborted).toBe(true);
});

test('one that is too long is told so before anybody is asked', async () => {
  const fake = new FakeApi().answer('sql.run', ({ text }) => ok(resultOf(text)));
  const state = new StatementState(fake.api, () => TRACE);
  await state.run();
  state.write('x'.repeat(100_001));
  await state.run();
  expect(state).toMatchObject({
    result: undefined,
    failure: { message: expect.stringContaining('at most 100,000 characters') },
  });
});

test('with another role the answer goes, and what can be read stays', async () => {
  const fake = new FakeApi()
    .answer('sql.run', ({ text }) => ok(resultOf(text)))
    .answer('sql.tables', () => ok([]));
  const state = new StatementState(fake.api, () => TRACE);
  await state.loadTables(TRACE);
  await state.run();
  state.forgetAnswer();
  expect(state).toMatchObject({ result: undefined, tables: [] });
});
