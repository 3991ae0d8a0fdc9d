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

test('passes over what libraries wrap around the job’s own functions', () => {
  const concat = python(
    'ConcatDataset.__getitem__',
    240,
    `${PACKAGES}/torch/utils/data/dataset.py`,
  );
  const compose = python('Compose.__call__', 95, `${PACKAGES}/torchvision/transforms.py`);
  const fft = python('rfft', 400, `${PACKAGES}/numpy/fft/_pocketfft.py`);
  const spectrum = [fft, python('spectrum', 5), compose, item(21), concat];
  expect(partsOf(spectrum, spectrum)).toBe(
    '100 % were in Clips.__getitem__ (data.py:21) → spectrum (data.py:5): rfft (_pocketfft.py:400) 100 %',
  );
});

test('names the function that has most, called in many ways', () => {
  const inflate = python('inflate', 3);
  const stages = ['kept', 'shuffled', 'mapped'].map((name) => [
    inflate,
    python(`stage_of_${name}`, 9),
    item(21),
  ]);
  expect(partsOf(...stages, [item(22)])).toBe(
    '100 % were in Clips.__getitem__ (data.py:21): stage_of_kept (data.py:9) 25.0 %, stage_of_shuffled (data.py:9) 25.0 %, stage_of_mapped (data.py:9) 25.0 %; most were in inflate (data.py:3), 75.0 %',
  );
});

test('of a long way in tells the first function, and the last', () => {
  const way = ['e', 'd', 'c', 'b', 'a'].map((name) => python(name, 7));
  expect(partsOf([...way, item(21)])).toBe(
    '100 % were in Clips.__getitem__ (data.py:21) → … → c (data.py:7) → d (data.py:7) → e (data.py:7)',
  );
});

test('who calls itself is told once', () => {
  const walk = [python('walk', 7), python('walk', 7), python('walk', 8), item(21)];
  expect(partsOf(walk)).toBe('100 % were in Clips.__getitem__ (data.py:21) → walk (data.py:8)');
});

test('a comprehension is its function’s', () => {
  const listed = [python('pick.<locals>.<listcomp>', 7), python('pick', 7), item(21)];
  expect(partsOf(listed)).toBe('100 % were in Clips.__getitem__ (data.py:21) → pick (data.py:7)');
});

test('says nothing where the dataset is not on the stacks', () => {
  expect(partsOf([])).toBeUndefined();
});
