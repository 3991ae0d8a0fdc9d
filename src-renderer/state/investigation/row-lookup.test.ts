import { expect, test } from 'vitest';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { RowLookup } from './row-lookup.svelte.ts';

const at = (row: number) => ({ table: 'off_cpu', row }) as const;

/** Answers come when they are let go, in the order in which they were asked for. */
function held() {
  const waiting: ((answer: Result<RowFacts>) => void)[] = [];
  const api = new FakeApi();
  api.answer('trace.row', () => new Promise((resolve) => waiting.push(resolve as never)));
  const rows = new RowLookup(api.api);
  const asked = () => api.asked.map(({ args }) => (args as { row: number }).row);
  const answer = async (result: Result<RowFacts>) => {
    waiting.shift()?.(result);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { rows, asked, answer };
}

test('a row that is looked at is asked for once, and kept', async () => {
  const { rows, asked, answer } = held();
  void rows.ask('a', at(3));
  void rows.ask('a', at(3));
  expect(rows.of(at(3))).toBeUndefined();
  await answer(ok({ values: { syscall: 202 } }));
  expect(rows.of(at(3))).toEqual({ values: { syscall: 202 } });
  void rows.ask('a', at(3));
  expect(asked()).toEqual([3]);
});

test('of those that a pointer passes while one is asked for, the last is asked for next', async () => {
  const { rows, asked, answer } = held();
  for (const row of [1, 2, 3, 4]) void rows.ask('a', at(row));
  await answer(ok({ values: { file: 1 } }));
  expect(asked()).toEqual([1, 4]);
  await answer(ok({ values: { file: 4 } }));
  expect([1, 2, 4].map((row) => rows.of(at(row))?.values.file)).toEqual([1, undefined, 4]);
});

test('the selected row is asked for and kept, however many a pointer passes', async () => {
  const { rows, asked, answer } = held();
  void rows.ask('a', at(1));
  void rows.ask('a', at(2), 'selected');
  for (const row of [3, 4]) void rows.ask('a', at(row));
  await answer(ok({ values: { file: 1 } }));
  await answer(ok({ values: { file: 2 } }));
  expect(asked()).toEqual([1, 2, 4]);
  await answer(ok({ values: {} }));
  for (let row = 10; row < 110; row++) {
    void rows.ask('a', at(row));
    await answer(ok({ values: {} }));
  }
  expect(rows.of(at(2))?.values.file).toBe(2);
  expect(rows.of(at(10))).toBeUndefined();
});

test('what can’t be had is known to be so', async () => {
  const { rows, answer } = held();
  expect(rows.isSettled(at(1))).toBe(false);
  void rows.ask('a', at(1), 'selected');
  expect([rows.isSettled(at(1)), rows.hasFailed(at(1))]).toEqual([false, false]);
  await answer(fail('not-found', 'This trace has no row 1 in off_cpu.'));
  expect([rows.isSettled(at(1)), rows.hasFailed(at(1))]).toEqual([true, true]);
  expect(rows.of(at(1))).toBeUndefined();
});

test('a row of any table is asked for: the page has none whole', async () => {
  const { rows, asked, answer } = held();
  const event = { table: 'on_cpu', row: 1 } as const;
  void rows.ask('a', event);
  expect([asked(), rows.isSettled(event)]).toEqual([[1], false]);
  await answer(ok({ values: { cpu: 3 } }));
  expect(rows.of(event)).toEqual({ values: { cpu: 3 } });
  // The same row of another table is another one.
  expect(rows.isSettled(at(1))).toBe(false);
});

test('an answer about another trace, or none, is not kept', async () => {
  const { rows, asked, answer } = held();
  void rows.ask('a', at(1));
  void rows.ask('b', at(1));
  await answer(ok({ values: { file: 1 } }));
  expect(rows.of(at(1))).toBeUndefined();
  await answer(fail('not-found', 'This trace has no row 1 in off_cpu.'));
  expect(rows.of(at(1))).toBeUndefined();
  expect(asked()).toEqual([1, 1]);
});
