import { expect, test } from 'vitest';
import { sourceOf } from '../../event-json/testing/source-of.ts';
import { kinetoImporter } from './importer.ts';

const task = { pid: 100, tid: 100 };

/** A tensor that is copied to the GPU in 10 µs, the `at`-th; of an operator without a shape, where it is `undefined`. */
function copied(shape: readonly number[] | undefined, at: number): object[] {
  const ts = 1_000 + at * 100;
  const args = shape === undefined ? {} : { 'Input Dims': [shape, shape, []] };
  const correlation = at + 1;
  return [
    { ph: 'X', cat: 'cpu_op', name: 'aten::copy_', ts, dur: 20, ...task, args },
    {
      ...{ ph: 'X', cat: 'cuda_runtime', name: 'cudaMemcpyAsync', ts: ts + 2, dur: 10, ...task },
      args: { correlation },
    },
    {
      ...{ ph: 'X', cat: 'gpu_memcpy', name: 'Memcpy HtoD (Pageable -> Device)' },
      ...{ ts: ts + 4, dur: 8, pid: 0, tid: 7 },
      args: { correlation, device: 0, context: 1, stream: 7, bytes: 4 },
    },
  ];
}

function batchSizeOf(shapes: readonly (readonly number[] | undefined)[]): number | undefined {
  const traceEvents = shapes.flatMap(copied);
  const content = JSON.stringify({ schemaVersion: 1, deviceProperties: [], traceEvents });
  const context = { fileName: 'a.json', progress: () => undefined };
  const result = kinetoImporter.importTrace(sourceOf(content), context);
  if (!result.ok) throw new Error(result.error.message);
  return result.value.meta.batchSize;
}

const images = [32, 3, 224, 224];

test('a batch has as many samples as all tensors say that are copied to the GPU, labels among them', () => {
  expect(batchSizeOf([images, [32], images, [32]])).toBe(32);
});

test('it is not known where anything leaves it open', () => {
  // Once may be the last batch.
  expect(batchSizeOf([images, [32]])).toBeUndefined();
  expect(batchSizeOf([images, [32], [16, 3, 224, 224], [16]])).toBeUndefined();
  // Of a model that is copied too, of tokens by time, and of what has no shape.
  expect(batchSizeOf([images, [32], images, [32], [512, 784]])).toBeUndefined();
  expect(batchSizeOf([images, images, images])).toBeUndefined();
  expect(batchSizeOf([images, [32], images, [32], undefined])).toBeUndefined();
  expect(batchSizeOf([images, [32], images, [32], []])).toBeUndefined();
});
