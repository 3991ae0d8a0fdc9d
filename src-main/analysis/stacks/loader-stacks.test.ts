import { describe, expect, test } from 'vitest';
import { NONE } from '../../shared/model/schema.ts';
import { type Frame, symbolOf } from '../../shared/model/stacks.ts';
import { StackBuilder } from '../../trace/build/stacks.ts';
import { loaderStacks, loaderStages } from './loader-stacks.ts';

const TORCH = '/opt/venv/lib/python3.12/site-packages/torch/utils/data';
const python = (symbol: string, line = 1, file = '/home/user/data.py'): Frame => ({
  ...{ symbol, file, line, language: 'python' },
});
const ofTorch = (symbol: string, line: number, file: string) =>
  python(symbol, line, `${TORCH}/${file}`);
const loop = ofTorch('_worker_loop', 302, '_utils/worker.py');
const iterableFetch = (line: number) =>
  ofTorch('_IterableDatasetFetcher.fetch', line, '_utils/fetch.py');
const mapFetch = (line: number) => ofTorch('_MapDatasetFetcher.fetch', line, '_utils/fetch.py');
const defaultCollate = ofTorch('default_collate', 265, '_utils/collate.py');

/** Of each stack, leaf first: its stage, and the functions that it names. */
function told(...given: readonly (readonly Frame[])[]) {
  const builder = new StackBuilder();
  const rows = given.map((frames) => builder.add(frames));
  const built = builder.build();
  const { stage, entry, called } = loaderStacks({ stacks: built });
  const nameAt = (at: number) => (at === NONE ? undefined : symbolOf(built, built.frame[at]));
  return rows.map((row) => [loaderStages[stage[row]], nameAt(entry[row]), nameAt(called[row])]);
}

describe('a line of the fetcher', () => {
  const stage = python('mapped.<locals>.stage');

  test('is the dataset’s, whatever its iterator is called, before that of a collate_fn', () => {
    const [found] = told(
      [python('inflate'), stage, iterableFetch(34), loop],
      [defaultCollate, iterableFetch(44), loop],
    );
    expect(found).toEqual(['item', 'mapped.<locals>.stage', 'mapped.<locals>.stage']);
  });

  test('is the collate_fn’s after one that the dataset is called from', () => {
    const found = told(
      [python('Rows.__next__'), iterableFetch(34), loop],
      [python('pad'), iterableFetch(44), loop],
      [python('<lambda>'), mapFetch(56), loop],
      [python('retry.<locals>.wrapper'), mapFetch(53), loop],
    );
    expect(found.map(([name]) => name)).toEqual(['item', 'collate', 'collate', 'item']);
  });

  test('alone is a collate_fn’s where no name tells', () => {
    expect(told([python('pad'), iterableFetch(44), loop])[0][0]).toBe('collate');
  });
});

describe('a stack that was cut', () => {
  const concat = ofTorch('ConcatDataset.__getitem__', 240, 'dataset.py');
  const subset = python('Replay.__getitem__', 54);
  const whole = [subset, concat, subset, mapFetch(53), loop];
  const cut = [python('torch_add'), subset, concat, subset, concat];

  test('is in the stage in which its outermost function is met', () => {
    const [, found] = told(whole, cut);
    expect(found).toEqual(['item', 'ConcatDataset.__getitem__', 'Replay.__getitem__']);
  });

  test('is not told where that function is met outside of the loader too', () => {
    const found = told(whole, cut, [concat, python('count_labels'), python('<module>')]);
    expect(found[1]).toEqual(['elsewhere', undefined, undefined]);
  });
});

test('of a library’s wrappers the job’s own function inside is what was called', () => {
  const concat = ofTorch('ConcatDataset.__getitem__', 240, 'dataset.py');
  const decode = [python('decode'), python('Clips.__getitem__'), concat, mapFetch(53), loop];
  const library = [concat, mapFetch(53), loop];
  expect(told(decode, library).map(([, entry, called]) => [entry, called])).toEqual([
    ['ConcatDataset.__getitem__', 'Clips.__getitem__'],
    ['ConcatDataset.__getitem__', 'ConcatDataset.__getitem__'],
  ]);
});
