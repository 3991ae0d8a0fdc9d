import { expect, test } from 'vitest';
import { operatorName } from './operator-names.ts';

test('what emit_nvtx counts is no part of a name, what it measured is', () => {
  expect(operatorName('aten::to, op_id = 317177')).toBe('aten::to');
  expect(operatorName('aten::mm, seq = 12')).toBe('aten::mm');
  expect(operatorName('aten::mm, seq = 12, op_id = 34, sizes = [[8, 4], [4, 8]]')).toBe(
    'aten::mm, sizes = [[8, 4], [4, 8]]',
  );
  expect(
    operatorName('aten::mm, op_id = 34, sizes = [[8, 4]], input_op_ids = [(3,0), (4,1)]'),
  ).toBe('aten::mm, sizes = [[8, 4]]');
  // A long one was cut.
  expect(operatorName('aten::cat, seq = 1, sizes = [[8, 4], [4, …')).toBe(
    'aten::cat, sizes = [[8, 4], [4, …',
  );
  const next = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
  expect(operatorName(`${next}, op_id = 5, sizes = [[]]`)).toBe(next);
});

test('any other name stays as it is', () => {
  for (const name of ['train, seq = 7 of 9', 'step, op_id = x', 'epoch 12', 'a, sizes = [3]', ''])
    expect(operatorName(name)).toBe(name);
});
