import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { narrowNames } from './narrow-names.ts';

const traceWith = (names: number) =>
  buildTrace({
    names: Array.from({ length: names }, (_, at) => ['CUDA', `f${at}`] as const),
    rows: { cuda_call: [{ op: names - 1 }], off_cpu: [{ file: names - 1 }] },
  });

test.each([
  [1, Uint16Array],
  [65_536, Uint16Array],
  [65_537, Uint32Array],
])('an index column of %i names is as narrow as it can be', (names, type) => {
  const { cuda_call: calls, off_cpu: switches } = narrowNames(traceWith(names)).tables;
  expect(calls.columns.op).toBeInstanceOf(type);
  expect(calls.columns.op[0]).toBe(names - 1);
  // It has -1 for none.
  expect(switches.columns.file).toBeInstanceOf(Int32Array);
});
