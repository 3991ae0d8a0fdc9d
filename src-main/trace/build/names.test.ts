import { expect, test } from 'vitest';
import { NameBuilder } from './names.ts';

test('equal names of one source are one', () => {
  const names = new NameBuilder();
  const added = [
    names.add('cudaMalloc', 'CUDA'),
    names.add('cudaMalloc'),
    names.add('cudaMalloc', 'CUDA'),
    names.add('a\nb', ''),
    names.add('b', 'a'),
  ];
  expect(added).toEqual([0, 1, 0, 2, 3]);
  expect(names.texts).toEqual(['cudaMalloc', 'cudaMalloc', 'a\nb', 'b']);
  expect(names.sources).toEqual(['CUDA', '', '', 'a']);
});

test('what has no name shares one that says so', () => {
  const names = new NameBuilder();
  names.add('cudaFree', 'CUDA');
  expect([names.addNotKnown(), names.addNotKnown()]).toEqual([1, 1]);
  expect(names.texts[1]).toBe('(not known)');
});
