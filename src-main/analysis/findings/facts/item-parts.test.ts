import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { itemParts, sampledStacks } from './item-parts.ts';

const PACKAGES = '/opt/venv/lib/python3.11/site-packages';
const python = (symbol: string, line: number, file = '/home/user/data.py'): Frame => ({
  ...{ symbol, file, line, language: 'python' },
});
const fetch = [
  python('_MapDatasetFetcher.fetch', 61, `${PACKAGES}/torch/utils/data/_utils/fetch.py`),
  python('_worker_loop', 302, `${PACKAGES}/torch/utils/data/_utils/worker.py`),
];
const item = (line: number) => python('Clips.__getitem__', line);

/** Samples of a worker, each by its functions within the dataset, innermost first. */
function partsOf(...samples: Frame[][]): string | undefined {
  const trace = buildTrace({
    threads: [{ tid: 100, process: 0 }],
    processes: [{ pid: 100 }],
    stacks: samples.map((frames) => [
      ...frames,
      python('_MapDatasetFetcher.fetch.<locals>.<listcomp>', 58, fetch[0].file),
      ...fetch,
    ]),
    rows: { cpu_sample: samples.map((_, stack) => ({ startNs: stack, thread: 0, stack })) },
  });
  const rows = samples.map((_, row) => row);
  return itemParts(trace, sampledStacks(trace, rows))?.text;
}

test('names the function and the parts that it calls, each with its share and line', () => {
  const decode = [python('decode', 12), item(21)];
  const read = [python('read', 8), item(20)];
  const augment = [python('augment', 30), item(22)];
  expect(partsOf(decode, decode, decode, read, augment, [item(23)])).toBe(
    '100 % were in Clips.__getitem__ (data.py:21): decode (data.py:12) 50.0 %, read (data.py:8) 16.7 %, augment (data.py:30) 16.7 %',
  );
});

test('goes on into the one function that does nearly all, and not into libraries', () => {
  const resize = python('resize', 2000, `${PACKAGES}/PIL/Image.py`);
  const library = python('Image.convert', 900, `${PACKAGES}/PIL/Image.py`);
  const load = [library, resize, python('load', 5), item(21)];
  expect(partsOf(load, load)).toBe(
    '100 % were in Clips.__getitem__ (data.py:21) → load (data.py:5): resize (Image.py:2000) 100 %',
  );
});

test('a comprehension is its function’s', () => {
  const listed = [python('pick.<locals>.<listcomp>', 7), python('pick', 7), item(21)];
  expect(partsOf(listed)).toBe('100 % were in Clips.__getitem__ (data.py:21) → pick (data.py:7)');
});

test('says nothing where the dataset is not on the stacks', () => {
  expect(partsOf([])).toBeUndefined();
});
