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

test('many rows at once stand behind those that are there, in columns as wide as their numbers', () => {
  const rows = new RowBuilder('cuda_call', {
    optional: ['bytes', 'stream', 'parent'],
    hasIds: true,
    isAppended: true,
    expected: 2,
  });
  const append = (starts: readonly number[], bytes: readonly number[], stream: number) => {
    const all = (value: number) => new Float64Array(starts.length).fill(value);
    const cells = new Map([
      ['startNs', Float64Array.from(starts)],
      ['durationNs', all(70_000)],
      ['thread', all(3)],
      ['op', all(0)],
      ['layer', all(1)],
      ['bytes', Float64Array.from(bytes)],
      ['stream', all(stream)],
      ['parent', all(2 ** 40)],
    ]);
    // Behind the last there may be more cells.
    rows.appendRows(
      starts.length - 1,
      cells,
      Float64Array.from(starts, (ns) => 10 * ns),
    );
  };
  append([30, 0], [40, 2 ** 50], 2);
  append([20, 10, 0], [-1, 2 ** 20, 2 ** 50], 200);
  const { count, columns, ids } = rows.finish();
  expect(count).toBe(3);
  expect(columns).toEqual({
    startNs: Float64Array.of(10, 20, 30),
    durationNs: Int32Array.of(70_000, 70_000, 70_000),
    thread: Int8Array.of(3, 3, 3),
    op: new Uint32Array(3),
    layer: Uint8Array.of(1, 1, 1),
    bytes: Int32Array.of(2 ** 20, -1, 40),
    stream: Int16Array.of(200, 200, 2),
    parent: new Float64Array(3).fill(2 ** 40),
  });
  expect(ids).toEqual(Float64Array.of(100, 200, 300));
});

test('indexes of names are narrow where it is known that few names come', () => {
  const narrow = new RowBuilder('range', { mostNames: 100 }).finish();
  const wide = new RowBuilder('range').finish();
  expect(narrow.columns.op).toBeInstanceOf(Uint8Array);
  expect(wide.columns.op).toBeInstanceOf(Uint32Array);
});
