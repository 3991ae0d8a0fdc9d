import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { describeTables } from './describe-tables.ts';
import { readable } from './readable.ts';

const row = { startNs: 0, durationNs: 1, thread: 0, op: 0 };
const tables = describeTables(buildTrace({ names: [['CUDA', 'x']], rows: { cuda_call: [row] } }));
const named = (wanted: string) => tables.find(({ name }) => name === wanted);

test('every table and view can be read, and each column of them says what it is', () => {
  for (const { name, doc, columns } of tables) {
    expect(readable).toContain(name.toLowerCase());
    expect(doc, name).not.toBe('');
    expect(columns.length, name).toBeGreaterThan(0);
    for (const column of columns) expect(column.doc, `${name}.${column.name}`).not.toBe('');
  }
});

test('views come first, events are counted, what they refer to is last', () => {
  const kinds = tables.map(({ kind }) => kind);
  expect([...new Set(kinds)]).toEqual(['view', 'events', 'entities']);
  expect(kinds).toEqual(
    kinds.toSorted((a, b) => 'view events entities'.indexOf(a) - 'view events entities'.indexOf(b)),
  );
  expect(named('cuda_call')?.rows).toBe(1);
  expect(named('thread')?.rows).toBeUndefined();
});

test('a column of a view is told by the column it is of, or by what it is worked out of', () => {
  const of = (name: string) => named('calls')?.columns.find((column) => column.name === name);
  const duration = named('cuda_call')?.columns.find(({ name }) => name === 'duration_ns');
  expect(of('duration_ns')).toEqual(duration);
  expect(of('duration_ms')).toEqual({ name: 'duration_ms', unit: 'ms', doc: 'duration_ns in ms' });
  expect(of('direction')?.doc).toBe('direction, in words');
});
