import { expect, test } from 'vitest';
import { NO_ROW, noRows } from './track-model.ts';

test('events that are in no table share their rows', () => {
  const many = noRows(100);
  const few = noRows(10);
  expect([many.length, few.length]).toEqual([100, 10]);
  expect(few.buffer).toBe(many.buffer);
  for (const rows of [many, few, noRows(300)]) expect(new Set(rows)).toEqual(new Set([NO_ROW]));
});
