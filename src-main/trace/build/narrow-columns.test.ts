import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import type { ColumnArray } from '../../shared/model/columns.ts';
import { tableNames } from '../../shared/model/schema.ts';
import { traceArbitrary } from '../testing/trace-arbitrary.ts';
import { narrowColumns } from './narrow-columns.ts';

const traceWith = (names: number) =>
  buildTrace({
    names: Array.from({ length: names }, (_, at) => ['CUDA', `f${at}`] as const),
    rows: { cuda_call: [{ op: names - 1 }], off_cpu: [{ file: names - 1 }] },
  });

test.each([
  [1, Uint8Array, Int8Array],
  [256, Uint8Array, Int16Array],
  [257, Uint16Array, Int16Array],
  [65_536, Uint16Array, Int32Array],
  [65_537, Uint32Array, Int32Array],
])('an index column of %i names is as narrow as it can be', (names, type, withNone) => {
  const { cuda_call: calls, off_cpu: switches } = narrowColumns(traceWith(names)).tables;
  expect(calls.columns.op).toBeInstanceOf(type);
  expect(calls.columns.op[0]).toBe(names - 1);
  // It has -1 for none.
  expect(switches.columns.file).toBeInstanceOf(withNone);
});

/** All cells of a trace, by table and column. */
function cellsOf(trace: ReturnType<typeof traceWith>) {
  return tableNames.flatMap((table) =>
    Object.entries(trace.tables[table].columns as Record<string, ColumnArray>).map(
      ([name, cells]) => [table, name, [...cells]],
    ),
  );
}

test('every cell is what it was', () => {
  fc.assert(
    fc.property(traceArbitrary, (trace) => {
      const before = cellsOf(trace);
      expect(cellsOf(narrowColumns(trace))).toEqual(before);
    }),
    { numRuns: 30 },
  );
});
