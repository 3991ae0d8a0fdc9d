import { expect, test } from 'vitest';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { callable, inOwnNames, type OwnNames } from './own-names.ts';

const nothing: OwnNames = {
  ...{ dataset: undefined, place: undefined, batchSize: undefined, script: undefined },
  workers: 0,
};
const fixOf = (after: string, language: Fix['language'] = 'python'): Fix => ({
  ...{ title: '', text: '', before: '', after, language, sources: [] },
});
const named = (code: string, names: Partial<OwnNames> = {}) =>
  inOwnNames(fixOf(code), { ...nothing, ...names }).after;

const loader =
  'DataLoader(your_dataset, batch_size=your_batch_size, num_workers=your_num_workers, collate_fn=your_collate_fn)';

test('what is not known stays a placeholder', () => {
  expect(named(loader)).toBe(loader);
  expect(named('class YourDataset(Dataset): ...')).toBe('class YourDataset(Dataset): ...');
  expect(inOwnNames(fixOf('numactl python train.py', 'shell'), nothing).after).toBe(
    'numactl python your_script.py',
  );
});

test('what the trace knows takes its place', () => {
  const known = {
    ...{ dataset: 'Rows', place: 'pad (train.py:30)', batchSize: 64, workers: 4 },
    script: 'fit.py',
  };
  expect(named(loader, known)).toBe(
    'DataLoader(Rows(...), batch_size=64, num_workers=4, collate_fn=pad)',
  );
  expect(named('class YourDataset(Dataset):\n    x = your_read(your_files[0])', known)).toBe(
    'class Rows(Dataset):\n    x = your_read(your_files[0])',
  );
  // It is made once, and looked at too.
  expect(named('DataLoader(your_dataset)\nlen(your_dataset)', known)).toBe(
    'DataLoader(your_dataset)\nlen(your_dataset)',
  );
  expect(inOwnNames(fixOf('python train.py', 'shell'), { ...nothing, ...known }).after).toBe(
    'python fit.py',
  );
});

test('a method is called on its object, and not written down as a function', () => {
  const place = { place: 'Pad.fill (train.py:30)' };
  expect(named('def your_collate_fn(samples):', place)).toBe('def your_collate_fn(samples):');
  expect(named('pool.submit(your_make, part)', place)).toBe('pool.submit(your_pad.fill, part)');
});

test('a function that is not the one of the place keeps its placeholder', () => {
  expect(named('your_read(your_make(x))', { place: 'pad (train.py:30)' })).toBe(
    'your_read(pad(x))',
  );
});

test('what a function is called by', () => {
  expect(callable('find_sum (train.py:42)')).toBe('find_sum');
  expect(callable('main.<locals>.pad (train.py:42)')).toBe('pad');
  // A method needs what it is of, which no trace names.
  expect(callable('Tree.find_sum (train.py:42)')).toBe('your_tree.find_sum');
  expect(callable('models.BERTEncoder.encode')).toBe('your_bert_encoder.encode');
  expect(callable('Compose.__call__ (t.py:1)')).toBe('your_compose');
  expect(callable('Rows.__getitem__ (t.py:1)')).toBeUndefined();
  expect(callable('<lambda> (train.py:3)')).toBeUndefined();
});
