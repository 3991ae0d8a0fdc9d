import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { type ColumnArray, narrowestType } from '../../shared/model/columns.ts';
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

const number = { type: 'f64' } as const;
test.each([
  ['i16', [-1, 0, 2 ** 15 - 1]],
  ['i32', [-1, 2 ** 15]],
  ['i32', [0, 2 ** 31 - 1]],
  ['u32', [0, 2 ** 31]],
  ['u32', [2 ** 32 - 1]],
  ['f64', [2 ** 32]],
  ['f64', [-1, 2 ** 31]],
  ['f64', [2 ** 53]],
  ['f64', [0.5]],
  ['f64', [-0]],
  ['f64', [Number.NaN]],
  ['f64', [0, Number.NEGATIVE_INFINITY]],
  ['i16', []],
] as const)('numbers are stored as %s where that tells all of %j', (type, values) => {
  expect(narrowestType(number, Float64Array.from(values))).toBe(type);
});

test('moments stay as they are, and rows behind the last are not looked at', () => {
  expect(narrowestType({ ...number, isMoment: true }, Float64Array.of(1))).toBe('f64');
  expect(narrowestType(number, Float64Array.of(1, 2 ** 40), 1)).toBe('i16');
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
