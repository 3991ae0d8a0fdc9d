import { expect, test } from 'vitest';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { callable, inOwnNames, type OwnNames } from './own-names.ts';

const nothing: OwnNames = {
  ...{ dataset: undefined, place: undefined, batchSize: undefined, script: undefined },
  workers: 0,
  own: [],
};
const fixOf = (after: string, language: Fix['language'] = 'python'): Fix => ({
  ...{ title: '', text: '', before: '', after, language, sources: [] },
});
const named = (code: string, names: Partial<OwnNames> = {}) =>
  inOwnNames(fixOf(code), { ...nothing, ...names }).after;

test('what is not known is a placeholder', () => {
  expect(
    named('loader = DataLoader(dataset, batch_size=batch_size, num_workers=num_workers)'),
  ).toBe(
    'loader = DataLoader(your_dataset, batch_size=your_batch_size, num_workers=your_num_workers)',
  );
  expect(named('class Files(Dataset):\n    x = decode(files[0])')).toBe(
    'class YourDataset(Dataset):\n    x = your_decode(your_files[0])',
  );
  expect(named('class Packed(Dataset):\n    first = fetch(files)[0]')).toBe(
    'class YourPacked(Dataset):\n    your_first = your_fetch(your_files)[0]',
  );
  expect(inOwnNames(fixOf('numactl python train.py', 'shell'), nothing).after).toBe(
    'numactl python your_script.py',
  );
});

test('what the trace knows takes its place', () => {
  const known = {
    ...{ dataset: 'Rows', place: 'pad (train.py:30)', batchSize: 64, workers: 4, own: ['decode'] },
    script: 'fit.py',
  };
  expect(
    named(
      'DataLoader(dataset, batch_size=batch_size, collate_fn=collate, num_workers=num_workers)',
      known,
    ),
  ).toBe('DataLoader(Rows(...), batch_size=64, collate_fn=pad, num_workers=4)');
  expect(named('class Files(Dataset):\n    x = decode(files[0])', known)).toBe(
    'class Rows(Dataset):\n    x = decode(your_files[0])',
  );
  // It is made once, and looked at too.
  expect(named('DataLoader(dataset)\nlen(dataset)', known)).toBe(
    'DataLoader(your_dataset)\nlen(your_dataset)',
  );
  expect(inOwnNames(fixOf('python train.py', 'shell'), { ...nothing, ...known }).after).toBe(
    'python fit.py',
  );
  // A method is not written down as a function.
  expect(named('def collate(samples):', { place: 'Pad.__call__ (train.py:30)' })).toBe(
    'def your_collate(samples):',
  );
});

test('attributes, names of arguments, strings and comments stay as they are; f-strings have code in them', () => {
  expect(named('self.model(model=model, path="model.pt")  # the model')).toBe(
    'self.model(model=your_model, path="model.pt")  # the model',
  );
  expect(named('print(f"files: {len(files)}")')).toBe('print(f"files: {len(your_files)}")');
  expect(named("x = 'files' == files")).toBe("x = 'files' == your_files");
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
