import { expect, test } from 'vitest';
import { RowBuilder } from './rows.ts';

test('rows come in any order and leave sorted, the longer of two that start at once first', () => {
  const rows = new RowBuilder('range', { optional: ['value'] });
  for (const [startNs, durationNs] of [
    [5, 1],
    [0, 2],
    [0, 9],
    [-3, 1],
  ]) {
    const at = rows.add();
    rows.columns.startNs[at] = startNs;
    rows.columns.durationNs[at] = durationNs;
    rows.columns.op[at] = at;
  }
  const { count, columns, endNs, order } = rows.finish();
  expect([count, endNs]).toEqual([4, 9]);
  expect([...columns.op]).toEqual([3, 2, 1, 0]);
  expect([...(order ?? [])]).toEqual([3, 2, 1, 0]);
  expect(columns.startNs).toEqual(Float64Array.of(-3, 0, 0, 5));
});

test('where ties are kept, rows that start at once stay as they were added', () => {
  const rows = new RowBuilder('range', { keepsTies: true });
  for (const durationNs of [1, 9]) rows.columns.durationNs[rows.add()] = durationNs;
  const { columns, order } = rows.finish();
  expect(order).toBeUndefined();
  expect([...columns.durationNs]).toEqual([1, 9]);
});

test('what is not written is not known, also once the rows have outgrown their room', () => {
  const rows = new RowBuilder('cuda_call', { optional: ['correlation', 'bytes'], expected: 2 });
  for (let at = 0; at < 3000; at++) rows.columns.startNs[rows.add()] = at;
  const { columns } = rows.finish();
  expect(Object.keys(columns)).toEqual([
    ...['startNs', 'durationNs', 'thread', 'op', 'layer'],
    ...['correlation', 'bytes'],
  ]);
  expect(new Set(columns.bytes)).toEqual(new Set([-1]));
  expect(new Set(columns.thread)).toEqual(new Set([-1]));
  expect(new Set(columns.correlation)).toEqual(new Set([0]));
  expect(columns.startNs).toHaveLength(3000);
});

test('many rows at once stand behind those that are there, and nothing is known of them', () => {
  const rows = new RowBuilder('cuda_call', { optional: ['bytes'], hasIds: true, expected: 2 });
  rows.columns.bytes[rows.add()] = 40;
  expect(rows.addRows(3000)).toBe(1);
  expect(rows.addRows(0)).toBe(3001);
  const { count, columns, ids } = rows.finish();
  expect(count).toBe(3001);
  expect([...columns.bytes.subarray(0, 2), columns.layer[3000], ids?.[3000]]).toEqual([
    40, -1, 0, -1,
  ]);
});

test('indexes of names are narrow where it is known that few names come', () => {
  const narrow = new RowBuilder('range', { mostNames: 100 }).finish();
  const wide = new RowBuilder('range').finish();
  expect(narrow.columns.op).toBeInstanceOf(Uint16Array);
  expect(wide.columns.op).toBeInstanceOf(Uint32Array);
});
