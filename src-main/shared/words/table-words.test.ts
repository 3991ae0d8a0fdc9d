import { expect, test } from 'vitest';
import { tableNames } from '../model/schema.ts';
import { lostText, tableWords } from './table-words.ts';

test('losses are told in words, one as one', () => {
  expect(lostText('off_cpu', 1)).toBe('1 off-CPU interval');
  expect(lostText('process', 1)).toBe('1 process event');
  expect(lostText('call', 1_200)).toBe('1,200 CUDA calls');
});

test('a kind that a newer agent loses is told by its name', () => {
  expect(lostText('disk_reads', 2)).toBe('2 disk reads');
  expect(lostText('constructor', 2)).toBe('2 constructor');
});

test('no words of a table are its name', () => {
  for (const table of tableNames)
    expect(tableWords[table].filter((words) => words.includes('_'))).toEqual([]);
});
