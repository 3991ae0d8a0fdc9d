import { expect, test } from 'vitest';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import { tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { shareTrace } from './share-trace.ts';

function arraysOf({ tables, stacks }: Trace) {
  const { frames } = stacks;
  return [
    ...tableNames.flatMap((name) => Object.values(tables[name].columns)),
    ...[stacks.prefix, stacks.frame, frames.symbol, frames.file, frames.line, frames.language],
  ].filter((column) => column !== undefined);
}

test('all columns lie in shared memory and hold what they held', () => {
  const arrays = arraysOf(shareTrace(loaderTrace({ batches: 5, batchNs: 1_000_000 })));
  expect(arrays.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
  expect(arrays).toEqual(arraysOf(loaderTrace({ batches: 5, batchNs: 1_000_000 })));
});

test('a trace that is shared already is not copied', () => {
  const shared = shareTrace(loaderTrace({ batches: 5, batchNs: 1_000_000 }));
  const again = arraysOf(shareTrace(shared));
  expect(arraysOf(shared).every((array, at) => array === again[at])).toBe(true);
});
